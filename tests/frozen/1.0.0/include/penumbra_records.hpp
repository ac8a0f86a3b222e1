/* penumbra_records.hpp - the list of a program's records, and lists of records that node functions read.
 *
 * penumbra.hpp includes this header. */
#ifndef PENUMBRA_RECORDS_HPP
#define PENUMBRA_RECORDS_HPP

#include <penumbra.h>

#include <type_traits>

namespace penumbra
{

/* In the list of a program's records: those of arcs, an edge field. node<cell, edge<flux>> has a field and an edge
 * field. */
template <typename record> struct edge {
};

/* In this list, too: a kind of mail, whose messages have the type `message`. */
template <typename message> struct mail {
};

/* Which table of the application an entry of the list is in. */
enum class table { fields, edge_fields, mails };
template <typename> constexpr table table_of = table::fields;
template <typename record> constexpr table table_of<edge<record>> = table::edge_fields;
template <typename message> constexpr table table_of<mail<message>> = table::mails;

/* The index in a table: of the field whose records are of the type `record`; or, for edge<record>, of an edge field;
 * or, for mail<message>, of a kind. */
template <table of, typename record, typename... records> constexpr int index_of()
{
    static_assert(table_of<record> == of, "a field is named by the type of its records, without edge<> or mail<>");
    static_assert((std::is_same_v<record, records> + ... + 0) == 1,
                  "one of the fields, edge fields or kinds of mail has this type, and no other one");
    int index = 0, at = 0;
    ((index += std::is_same_v<record, records> ? at : 0, at += table_of<record> == table_of<records>), ...);
    return index;
}

/* The set of a table's entries in .reads, .writes and the like. */
template <table of, typename list, typename... chosen> struct set_of;
template <table of, template <typename...> class list, typename... records, typename... chosen>
struct set_of<of, list<records...>, chosen...> {
    static constexpr pen_set value = pen_set::of(((UINT64_C(1) << index_of<of, chosen, records...>()) | ... | 0));
};

/* The pen_type of a member of a record. */
template <typename number> constexpr pen_type type_of()
{
    static_assert(std::is_arithmetic_v<number> && sizeof(number) <= 8, "no type that files know");
    constexpr pen_type whole[2][4] = { { PEN_U8, PEN_U16, PEN_U32, PEN_U64 }, { PEN_I8, PEN_I16, PEN_I32, PEN_I64 } };
    if constexpr (std::is_same_v<std::remove_cv_t<number>, bool>) return PEN_BOOL;
    else if constexpr (std::is_floating_point_v<number>) return sizeof(number) == 8 ? PEN_F64 : PEN_F32;
    else return whole[std::is_signed_v<number>][(sizeof(number) > 1) + (sizeof(number) > 2) + (sizeof(number) > 4)];
}

/* The records of a node's neighbours, by ascending gid. */
template <typename record> class neighbors
{
  public:
    class iterator
    {
      public:
        iterator(const record *records, const pen_lid *column) : records_(records), column_(column) {}
        const record &operator*() const { return records_[*column_]; }
        iterator &operator++()
        {
            column_++;
            return *this;
        }
        bool operator!=(const iterator &other) const { return column_ != other.column_; }

      private:
        const record *records_;
        const pen_lid *column_;
    };

    neighbors(const record *records, const pen_lid *first, const pen_lid *end)
        : records_(records), first_(first), end_(end)
    {
    }
    iterator begin() const { return { records_, first_ }; }
    iterator end() const { return { records_, end_ }; }

  private:
    const record *records_;
    const pen_lid *first_, *end_;
};

/* The messages of one kind in a node's mailbox, in their order. */
template <typename message> class messages
{
  public:
    messages(const message *first, int64_t count) : first_(first), count_(count) {}
    const message *begin() const { return first_; }
    const message *end() const { return first_ + count_; }
    int64_t size() const { return count_; }
    const message &operator[](int64_t i) const { return first_[i]; }

  private:
    const message *first_;
    int64_t count_;
};

} // namespace penumbra

#endif
