/* keep_loaded.c - linked into the programs of the checking build: keeps libraries loaded to the end, so that a report
 * of leaks names the library. MPI would unload its components before. */
int dlclose(void *library);
__attribute__((visibility("default"))) int dlclose(void *library) { return library ? 0 : -1; }
