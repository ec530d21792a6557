// The list of pairs, the rows of history, and the stamps that show which contacts are alive.

#include "history/contact_list.h"

#include <doctest/doctest.h>

#include <limits>
#include <map>
#include <random>
#include <utility>
#include <vector>

using namespace granular_plus;

namespace {

constexpr int VALUES = 3;

LoopOptions step() { return LoopOptions::of(true, 1.0, -1); }
LoopOptions setup() { return LoopOptions::of(false, 1.0, -1); }

double *touch(ContactList &list, int pair, const LoopOptions &options)
{
  double *row = list.history().row(list.history().take_slot(pair));
  row[VALUES] = options.stamp_now;
  return row;
}

}    // namespace

TEST_CASE("pairs are sorted by group, in the order in which they were added")
{
  ContactList list(VALUES);
  list.begin_new_list({2, 3}, false);
  list.add(1, 0, 5, 0, false, nullptr);
  list.add(0, 0, 7, 0, false, nullptr);
  list.add(1, 2, 6, 0, false, nullptr);
  list.finish_new_list();    // fewer pairs were added than announced

  CHECK(list.size() == 3);
  CHECK(list.groups() == 2);
  CHECK(list.end(0) - list.begin(0) == 1);
  CHECK(list.end(1) - list.begin(1) == 2);
  CHECK(list.find(0, 7) == 0);
  CHECK(list.find(0, 5) == 1);
  CHECK(list.find(2, 6) == 2);
  CHECK(list.i(2) == 2);
  CHECK(list.j(2) == 6);
  CHECK(list.find(5, 0) == -1);
  CHECK(list.find(1, 6) == -1);
}

TEST_CASE("a contact that continues keeps its values in the next list")
{
  ContactList list(VALUES);
  list.begin_new_list({1}, false);
  list.add(0, 3, 4, 0, false, nullptr);
  list.finish_new_list();
  LoopOptions options = step();
  list.begin_evaluation(options);
  double *row = touch(list, 0, options);
  row[0] = 1.5, row[1] = -2.5, row[2] = 3.5;
  REQUIRE(list.is_alive(0));

  list.begin_new_list({1, 1}, false);
  CHECK(list.row_in_complete_list(0)[1] == -2.5);
  CHECK(list.group_before(0) == 0);
  list.add(1, 8, 9, 0, true, list.row_in_complete_list(0));
  list.add(0, 1, 2, 0, false, nullptr);
  list.finish_new_list();
  const int pair = list.find(8, 9);
  CHECK(list.is_alive(pair));
  for (int k = 0; k < VALUES; ++k) CHECK(list.row(pair)[k] == 1.5 + (k == 1 ? -4.0 : k));
  CHECK_FALSE(list.is_alive(list.find(1, 2)));
}

TEST_CASE("a contact that is not evaluated is reported once as ended, then discarded")
{
  ContactList list(VALUES);
  list.begin_new_list({2}, false);
  list.add(0, 0, 1, 0, false, nullptr);
  list.add(0, 0, 2, 0, false, nullptr);
  list.finish_new_list();
  LoopOptions options = step();
  list.begin_evaluation(options);
  touch(list, 0, options);
  touch(list, 1, options);

  list.begin_evaluation(options = step());
  touch(list, 1, options);
  CHECK_FALSE(list.is_alive(0));
  CHECK(list.has_ended(0));
  CHECK_FALSE(list.has_ended(1));
  CHECK(list.ended_pairs(0) == std::vector<PairIndex>{0});

  list.begin_evaluation(options = step());
  touch(list, 1, options);
  CHECK_FALSE(list.has_ended(0));
  CHECK(list.ended_pairs(0).empty());
}

TEST_CASE("in a setup no contact ends")
{
  ContactList list(VALUES);
  list.begin_new_list({1}, false);
  list.add(0, 0, 1, 0, false, nullptr);
  list.finish_new_list();
  LoopOptions options = step();
  list.begin_evaluation(options);
  touch(list, 0, options);
  const int before = list.evaluation();
  list.begin_evaluation(options = setup());
  CHECK(options.stamp_before == options.stamp_now);
  CHECK(list.evaluation() == before);
  CHECK(list.is_alive(0));
  CHECK_FALSE(list.has_ended(0));
}

TEST_CASE("a contact that begins again in its old row has no history")
{
  ContactList list(VALUES);
  list.begin_new_list({1}, false);
  list.add(0, 0, 1, 0, false, nullptr);
  list.finish_new_list();
  LoopOptions options = step();
  list.begin_evaluation(options);
  const PairIndex number[] = {0};
  Pairs pairs = list.listed_pairs();
  pairs.number = number;
  list.begin_contact(pairs, 0, options.stamp_now)[0] = 7.0;
  CHECK(list.begin_contact(pairs, 0, options.stamp_now)[0] == 7.0);
  list.begin_evaluation(options = step());
  list.begin_evaluation(options = step());
  CHECK(list.begin_contact(pairs, 0, options.stamp_now)[0] == 0.0);
  CHECK(list.rows_used() == 1);
}

TEST_CASE("if the size of rows changes, the list becomes empty")
{
  ContactList list(VALUES);
  list.begin_new_list({1}, false);
  list.add(0, 0, 1, 0, false, nullptr);
  list.finish_new_list();
  list.resize_rows(5);
  CHECK(list.size() == 0);
  CHECK(list.row_size() == 5);
}

TEST_CASE("if a limit is exceeded, the message states the limit")
{
  CHECK(limit_exceeded_message(1000, 1000).empty());
  CHECK(limit_exceeded_message(0, static_cast<long long>(std::numeric_limits<PairIndex>::max())).find("pairs") !=
        std::string::npos);
  CHECK(limit_exceeded_message(static_cast<long long>(std::numeric_limits<RowOffset>::max()), 0).find("atoms") !=
        std::string::npos);
}

TEST_CASE("over many lists and steps, values and stamps equal those of a plain map")
{
  std::mt19937 chance(4711);
  const auto drawn = [&](int below) { return static_cast<int>(chance() % static_cast<unsigned>(below)); };
  ContactList list(VALUES);
  std::map<std::pair<int, int>, double> living;    // first value of each live contact
  for (int renewal = 0; renewal < 40; ++renewal) {
    // pairs in contact stay in the list; the other pairs are chosen at random in each renewal
    std::map<std::pair<int, int>, int> group_of;
    for (const auto &[pair, value] : living) group_of[pair] = (pair.first + pair.second) % 3;
    for (int k = 0; k < 30; ++k) {
      const int i = drawn(12), j = 12 + drawn(12);
      group_of[{i, j}] = (i + j) % 3;
    }
    std::vector<int> count(3, 0);
    for (const auto &[pair, group] : group_of) ++count[group];
    std::map<std::pair<int, int>, std::vector<double>> kept;
    for (const auto &[pair, value] : living) {
      const double *row = list.row(list.find(pair.first, pair.second));
      kept[pair].assign(row, row + VALUES);
    }
    list.begin_new_list(count, false);
    for (const auto &[pair, group] : group_of)
      list.add(group, pair.first, pair.second, 0, kept.count(pair) > 0, kept.count(pair) ? kept[pair].data() : nullptr);
    list.finish_new_list();
    for (int evaluation = 0; evaluation < 5; ++evaluation) {
      LoopOptions options = step();
      list.begin_evaluation(options);
      std::map<std::pair<int, int>, double> now;
      for (const auto &[pair, group] : group_of) {
        if (drawn(3) == 0) continue;
        const int number = list.find(pair.first, pair.second);
        const bool went_on = number >= 0 && list.has_ended(number);    // was live in the previous step
        CHECK(went_on == (living.count(pair) > 0));
        double *row = touch(list, number, options);
        if (!went_on) row[0] = drawn(1000);
        if (went_on) CHECK(row[0] == living[pair]);
        now[pair] = row[0];
      }
      living = now;
    }
  }
}
