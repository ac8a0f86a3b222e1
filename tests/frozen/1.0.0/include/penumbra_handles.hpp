/* penumbra_handles.hpp - objects of the library that C++ programs own, and the state of a run.
 *
 * penumbra.hpp includes this header. */
#ifndef PENUMBRA_HANDLES_HPP
#define PENUMBRA_HANDLES_HPP

#include <penumbra.h>

#include <utility>

namespace penumbra
{

/* A value, and whether it is there: auto [status, graph] = penumbra::graph::generate(comm, "hex:64x64"). */
template <typename type> struct [[nodiscard]] result {
    pen_status status;
    type value;
};

/* Owns an object of the library, and destroys it, which is Collective unless it is a command_line: before MPI_Finalize,
 * on all ranks in the same order. It is moved, never copied; an object that is assigned to is destroyed. */
template <typename object, void (*destroy)(object **)> class handle
{
  public:
    handle() = default;
    handle(handle &&other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    handle &operator=(handle &&other) noexcept
    {
        if (this != &other) *out() = std::exchange(other.object_, nullptr);
        return *this;
    }
    handle(const handle &) = delete;
    handle &operator=(const handle &) = delete;
    ~handle() { destroy(&object_); }
    /* For functions in C, which do not destroy it. */
    object *get() const { return object_; }
    /* Where a function in C puts a new object; the previous one is destroyed. */
    object **out()
    {
        destroy(&object_);
        return &object_;
    }

  private:
    object *object_ = nullptr;
};

/* A command line: pen_options_parse(&table, argc, argv, words.out()). */
using command_line = handle<pen_options, pen_options_destroy>;

class graph : public handle<pen_graph, pen_graph_destroy>
{
  public:
    static result<graph> read(MPI_Comm comm, const char *path, const pen_read_options &options = {})
    {
        graph made;
        pen_status status = pen_graph_read(comm, path, &options, made.out());
        return { status, std::move(made) };
    }
    static result<graph> generate(MPI_Comm comm, const char *spec)
    {
        graph made;
        pen_status status = pen_graph_generate(comm, spec, made.out());
        return { status, std::move(made) };
    }
    static result<graph> from_csr(MPI_Comm comm, const pen_csr &mine)
    {
        graph made;
        pen_status status = pen_graph_from_csr(comm, &mine, made.out());
        return { status, std::move(made) };
    }
    PEN_CHECKED pen_status write(const char *path) const { return pen_graph_write(get(), path); }
    int64_t nodes() const { return pen_graph_nodes(get()); }
    int64_t edges() const { return pen_graph_edges(get()); }
};

/* A run as the functions of app::globals, done and check see it: values that are equal on all ranks. */
class state
{
  public:
    state(const pen_run *run, const void *params, int phase = PEN_BETWEEN_STEPS)
        : run_(run), params_(params), phase_(phase)
    {
    }
    int64_t step() const { return pen_run_step(run_); }
    int phase() const { return phase_; } /* of pen_globals.update */
    int64_t observed_int(int k, int c = 0) const { return pen_run_observed_int(run_, PEN_COMPONENT(k, c)); }
    double observed_real(int k, int c = 0) const { return pen_run_observed_real(run_, PEN_COMPONENT(k, c)); }
    template <typename type> const type &params() const { return *static_cast<const type *>(params_); }
    template <typename values> const values &globals() const
    {
        return *static_cast<const values *>(pen_run_globals(run_));
    }

  private:
    const pen_run *run_;
    const void *params_;
    int phase_;
};

} // namespace penumbra

#endif
