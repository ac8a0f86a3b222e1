/* keep_loaded.c - linked into the programs of the checking build: libraries stay loaded to the end, so that a report of
 * leaks knows whose they are. MPI unloads its components before, and then nobody's are nobody's fault. */
int dlclose(void *library);
__attribute__((visibility("default"))) int dlclose(void *library) { return library ? 0 : -1; }
