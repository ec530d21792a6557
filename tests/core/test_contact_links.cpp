// Links: contact history that moves with the atoms while one list of pairs is replaced by the next.

#include "history/contact_links.h"

#include <doctest/doctest.h>

#include <vector>

using namespace granular_plus;

namespace {

constexpr int VALUES = 2;

std::vector<ContactLinks::Id> partners(const ContactLinks &links, int atom)
{
  std::vector<ContactLinks::Id> found;
  for (Link link = links.first(atom); link != Link::NONE; link = links.next(link)) found.push_back(links.partner(link));
  return found;
}

using Names = std::vector<ContactLinks::Id>;

}    // namespace

TEST_CASE("the links of an atom form a chain, which begins with the last link added")
{
  ContactLinks links(VALUES);
  links.grow(3);
  links.add(1, 10);
  links.add(1, 20);
  links.add(2, 30);
  CHECK(partners(links, 1) == Names{20, 10});
  CHECK(partners(links, 0).empty());
  CHECK(links.count(1) == 2);
  CHECK(links.has(2));
  links.forget(1);
  CHECK_FALSE(links.has(1));
  links.copy(2, 0);
  CHECK(partners(links, 0) == Names{30});
}

TEST_CASE("links that were taken out are put back in any order; the slot of a dropped link is cleared and reused")
{
  ContactLinks links(VALUES);
  links.set_extra_values(1);
  links.grow(1);
  const Link first = links.add(0, 10), second = links.add(0, 20);
  links.own_row(first)[0] = 4.0;
  links.own_extra(first)[0] = 5.0;
  std::vector<Link> taken;
  links.detach_links(0, taken);
  CHECK_FALSE(links.has(0));
  CHECK(links.find(taken, 20) == second);
  CHECK(links.find(taken, 30) == Link::NONE);
  CHECK(links.append(0, second) == 1);
  links.recycle(first);
  const Link third = links.make(30);
  CHECK(third == first);
  CHECK(links.own_row(third)[0] == 0.0);
  CHECK(links.own_extra(third)[0] == 0.0);
  CHECK(links.append(0, third) == 2);
  CHECK(partners(links, 0) == Names{20, 30});
  CHECK(links.holds(0, third));
}

TEST_CASE("unpacked links keep their order and are added to existing links")
{
  ContactLinks from(VALUES), to(VALUES);
  for (auto *links : {&from, &to}) {
    links->set_extra_values(1);
    links->grow(2);
  }
  constexpr ContactLinks::Id LARGE = (1LL << 62) + 3;    // more digits than a double stores
  for (const ContactLinks::Id partner : {ContactLinks::Id{7}, LARGE}) {
    const Link link = from.add(1, partner);
    from.own_row(link)[0] = 0.5 * index_of(link);
    from.own_row(link)[1] = -1.0;
    from.own_extra(link)[0] = 100.0 + index_of(link);
  }
  std::vector<double> buffer(from.packed_size(from.count(1)));
  CHECK(from.pack(1, buffer.data()) == static_cast<int>(buffer.size()));
  to.add(0, 5);
  CHECK(to.unpack(0, buffer.data()) == static_cast<int>(buffer.size()));
  CHECK(partners(to, 0) == Names{LARGE, 7, 5});
  const Link link = to.first(0);
  CHECK(to.own_row(link)[0] == 0.5);
  CHECK(to.own_row(link)[VALUES] == ContactLinks::ALIVE);
  CHECK(to.own_extra(link)[0] == 101.0);
}

TEST_CASE("a link to a listed pair has the values as seen from its own atom")
{
  ContactList list(VALUES);
  list.begin_new_list({1}, false);
  list.add(0, 0, 1, 0, false, nullptr);
  list.finish_new_list();
  LoopOptions options = LoopOptions::of(true, 1.0, -1);
  list.begin_evaluation(options);
  double *row = list.history().row(list.history().take_slot(0));
  row[0] = 2.0, row[1] = 3.0, row[VALUES] = options.stamp_now;

  ContactLinks links(VALUES, &list);
  links.signs = {{-1.0, 1.0}};
  links.activate(2, 2);
  links.add(0, 101, 0, false);
  links.add(1, 100, 0, true);
  double seen[VALUES];
  links.copy_row(links.first(0), seen);
  CHECK(seen[0] == 2.0);
  links.copy_row(links.first(1), seen);
  CHECK(seen[0] == -2.0);
  CHECK(seen[1] == 3.0);

  const Link own = links.give_last_own_row();
  CHECK(links.owns_row(own));
  CHECK(links.own_row(own)[0] == -2.0);
  links.deactivate();
  CHECK_FALSE(links.are_active());
  CHECK(links.first(0) == Link::NONE);
}

TEST_CASE("tidying keeps only the chains of the first atoms")
{
  ContactLinks links(VALUES);
  links.grow(3);
  for (int atom = 0; atom < 3; ++atom)
    for (int k = 0; k < 2; ++k) links.own_row(links.add(atom, 10 * atom + k))[0] = 10.0 * atom + k;
  links.compact(2);
  CHECK(links.count() == 4);
  CHECK(partners(links, 0) == Names{1, 0});
  CHECK(partners(links, 1) == Names{11, 10});
  CHECK(links.own_row(links.first(1))[0] == 11.0);
}

TEST_CASE("if the size of rows changes, the first values are kept and the parts of the ledger are moved")
{
  ContactLinks links(2 + REMEMBERED_VALUES[OF_ROLLING]);
  links.grow(1);
  double *row = links.own_row(links.add(0, 5));
  for (int k = 0; k < links.row_size(); ++k) row[k] = 1.0 + k;
  ContactLinks::PartOffsets from, to;
  from.fill(-1);
  to.fill(-1);
  from[OF_ROLLING] = 2;
  to[OF_ROLLING] = 4;
  links.resize_rows(4 + REMEMBERED_VALUES[OF_ROLLING], 2, from, to);
  const double *resized = links.own_row(links.first(0));
  CHECK(resized[0] == 1.0);
  CHECK(resized[1] == 2.0);
  CHECK(resized[2] == 0.0);
  for (int k = 0; k < REMEMBERED_VALUES[OF_ROLLING]; ++k) CHECK(resized[4 + k] == 3.0 + k);
  CHECK(resized[links.row_size()] == ContactLinks::ALIVE);
}
