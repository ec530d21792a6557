// The contact loop: search, gather, stages, scatter.

#ifndef GRANULAR_PLUS_LOOP_H
#define GRANULAR_PLUS_LOOP_H

#include "search.h"
#include "transfer.h"

GRANULAR_PLUS_LAWS_BEGIN

namespace {

// Adds the forces and heat of a batch to the particles, and copies its history into the rows of the contacts.
template <int SIZE>
void finish_batch(const Particles &particles, const unsigned char *special, const History &history,
                  const PairGroup &pair_group, const LoopOptions &options, LoopWork &work)
{
  if (options.mode != Mode::ENDED_CONTACTS) {
    if (special) scale_forces(special, options.force_factors, work);
    if (particles.force) scatter_forces(particles, work);
  }
  if (options.mode == Mode::STEP) store_history<SIZE>(history, options.stamp_now, work);
  if (pair_group.passes_heat && particles.heatflow) hand_out_heat(particles, work);
  if (options.mode == Mode::SETUP)
    remember_setup(history, pair_group.constants, options.stamp_before, options.ledger, work);
  if (options.report) options.report(options.receiver, work, options.mode);
}

template <int SIZE>
void evaluate_batch(const Particles &particles, const Pairs &pairs, const History &history, const PairGroup &pair_group,
                    const LoopOptions &options, LoopWork &work, const int *found, int listed, const StageList &stages)
{
  work.batch.count = listed < LANES ? listed : LANES;
  take_rows<SIZE>(particles, pairs, history, found, listed, work);
  fill_lanes(particles, work);
  if (particles.orientation) fill_orientations(particles, work);
  load_history<SIZE>(history, options.stamp_before, work);
  stages.run(work.batch, pair_group.constants);
  finish_batch<SIZE>(particles, pairs.special, history, pair_group, options, work);
}

template <int SIZE>
void evaluate_all(const Particles &particles, const Pairs &pairs, const int *found, int count, const History &history,
                  const PairGroup &pair_group, const StageList &stages, const LoopOptions &options, LoopWork &work)
{
  work.batch.timestep = options.timestep;
  for (int first = 0; first < count; first += LANES)
    evaluate_batch<SIZE>(particles, pairs, history, pair_group, options, work, found + first, count - first, stages);
}

void evaluate_pairs(const Particles &particles, const Pairs &pairs, const int *found, int count, const History &history,
                    const PairGroup &pair_group, const StageList &stages, const LoopOptions &options, LoopWork &work)
{
  switch (history.size) {
    case 1: return evaluate_all<1>(particles, pairs, found, count, history, pair_group, stages, options, work);
    case 2: return evaluate_all<2>(particles, pairs, found, count, history, pair_group, stages, options, work);
    case 3: return evaluate_all<3>(particles, pairs, found, count, history, pair_group, stages, options, work);
    case 4: return evaluate_all<4>(particles, pairs, found, count, history, pair_group, stages, options, work);
    case 5: return evaluate_all<5>(particles, pairs, found, count, history, pair_group, stages, options, work);
    // bonds without and with a ledger
    case 11: return evaluate_all<11>(particles, pairs, found, count, history, pair_group, stages, options, work);
    case 19: return evaluate_all<19>(particles, pairs, found, count, history, pair_group, stages, options, work);
    default: return evaluate_all<-1>(particles, pairs, found, count, history, pair_group, stages, options, work);
  }
}

template <int SIZE>
void evaluate_found(const Particles &particles, const unsigned char *special, const FoundContact *found, int count,
                    ContactSource &source, const History &history, const PairGroup &pair_group, const StageList &stages,
                    const LoopOptions &options, LoopWork &work)
{
  work.batch.timestep = options.timestep;
  for (int first = 0; first < count; first += LANES) {
    work.batch.count = count - first < LANES ? count - first : LANES;
    for (int l = 0; l < work.batch.count; ++l) {
      const FoundContact &contact = found[first + l];
      work.row_i[l] = Pairs::row_of(contact.i);
      work.row_j[l] = contact.j < 0 ? LoopWork::WALL : Pairs::row_of(contact.j);
      work.pair[l] = contact.pair;
      work.slot[l] = contact.slot;
    }
    load_history<SIZE>(history, options.stamp_before, work);
    source.fill(work, first);
    stages.run(work.batch, pair_group.constants);
    source.finish(work, first);
    finish_batch<SIZE>(particles, special, history, pair_group, options, work);
  }
}

void evaluate_contacts(const Particles &particles, const unsigned char *special, const FoundContact *found, int count,
                       ContactSource &source, const History &history, const PairGroup &pair_group,
                       const StageList &stages, const LoopOptions &options, LoopWork &work)
{
  const auto evaluate = history.size == 3 ? evaluate_found<3> : evaluate_found<-1>;
  evaluate(particles, special, found, count, source, history, pair_group, stages, options, work);
}

template <int SIZE>
void loop_with(const Particles &particles, const Pairs &pairs, const History &history, const PairGroup &pair_group,
               const LoopOptions &options, LoopWork &work)
{
  work.batch.timestep = options.timestep;
  const auto evaluate = [&](const int *found, int listed, const StageList &stages, const LoopOptions &how) {
    evaluate_batch<SIZE>(particles, pairs, history, pair_group, how, work, found, listed, stages);
  };

  int *separated = pair_group.separated.count > 0 ? pairs.separated : nullptr;
  int waiting = 0, separated_count = 0;
  work.ended_count = 0;
  for (int begin = pair_group.begin; begin < pair_group.end; begin += LoopWork::SEARCH_BLOCK) {
    const int end = pair_group.end - begin < LoopWork::SEARCH_BLOCK ? pair_group.end : begin + LoopWork::SEARCH_BLOCK;
    if (pair_group.breaking_gap) {
      search_within(particles, pairs, begin, end, work.within, work.touches);
      search_gaps(pairs, pair_group.attracts, begin, end, work, separated, &separated_count);
    } else {
      search_touching(particles, pairs, begin, end, work.touches);
      if (pairs.ended) list_ended(pairs, work.touches, begin, end, work);
    }
    waiting += list_marked(work.touches, begin, end, work.found + waiting);
    const bool last = end == pair_group.end;
    int first = 0;
    for (; waiting - first >= LANES || (last && waiting > first); first += work.batch.count)
      evaluate(work.found + first, waiting - first, pair_group.touching, options);
    for (int k = first; k < waiting; ++k) work.found[k - first] = work.found[k];
    waiting -= first;
  }
  // Separated pairs are evaluated last, so that sums of forces do not depend on how the list is divided for the search.
  LoopOptions across = options;
  if (pair_group.attracts) across.mode = Mode::READ_ONLY;    // attraction across a gap has no history
  for (int first = 0; first < separated_count; first += LANES)
    evaluate(separated + first, separated_count - first, pair_group.separated, across);
}

void loop(const Particles &particles, const Pairs &pairs, const History &history, const PairGroup &pair_group,
          const LoopOptions &options, LoopWork &work)
{
  switch (history.size) {
    case 0: return loop_with<0>(particles, pairs, history, pair_group, options, work);
    case 3: return loop_with<3>(particles, pairs, history, pair_group, options, work);
    case 4: return loop_with<4>(particles, pairs, history, pair_group, options, work);
    case 5: return loop_with<5>(particles, pairs, history, pair_group, options, work);
    case 6: return loop_with<6>(particles, pairs, history, pair_group, options, work);
    // With a ledger, the history of a contact has 11 values for one spring, and 15 values if there is also a bridge, a
    // twisting law or a record of collisions.
    case 11: return loop_with<11>(particles, pairs, history, pair_group, options, work);
    case 15: return loop_with<15>(particles, pairs, history, pair_group, options, work);
    default: return loop_with<-1>(particles, pairs, history, pair_group, options, work);
  }
}

void find_contacts(const Particles &particles, const Pairs &all, const PairGroup &pair_group, LoopWork &work,
                   Found &found)
{
  Pairs pairs = all;
  if (pairs.ended) pairs.ended = found.ended;
  work.ended_count = 0;
  found.touching_count = found.separated_count = found.forming_count = found.ruptured_count = 0;
  int *separated = pair_group.separated.count > 0 ? found.separated : nullptr;
  const auto list_few = [&work](int begin, int end, int *out, int &count, auto mark) {
    unsigned char *__restrict marks = work.marks;
    unsigned char any = 0;
#pragma omp simd reduction(| : any)
    for (int k = 0; k < end - begin; ++k) any |= marks[k] = mark(k);
    if (any & 1) count += list_marked(marks, begin, end, out + count);
  };
  for (int begin = pair_group.begin; begin < pair_group.end; begin += LoopWork::SEARCH_BLOCK) {
    const int end = pair_group.end - begin < LoopWork::SEARCH_BLOCK ? pair_group.end : begin + LoopWork::SEARCH_BLOCK;
    const unsigned char *wet = pairs.wet + begin, *had_contact = pairs.had_contact + begin, *touches = work.touches;
    search_within(particles, pairs, begin, end, work.within, work.touches);
    list_few(begin, end, found.forming, found.forming_count, [=](int k) { return touches[k] & ~wet[k]; });
    search_gaps(pairs, false, begin, end, work, separated, &found.separated_count);
    list_few(begin, end, found.ruptured, found.ruptured_count, [=](int k) { return wet[k] & ~had_contact[k]; });
    found.touching_count += list_marked(work.touches, begin, end, found.touching + found.touching_count);
  }
  found.ended_count = work.ended_count;
}

void tally(const Batch &b, const RowOffset *row_j, RowOffset owned_end, Row *sums)
{
  constexpr int HALF = LANES / 2;
  // NORMAL_ELASTIC_FORCE is left out, because a sum of elastic forces has no meaning.
  if (b.count == LANES && !row_j) {
    for (int k = NORMAL_ENERGY; k < b.observables; ++k) {
#pragma omp simd
      for (int l = 0; l < HALF; ++l) sums[k][l] += b.observed[k][l] + b.observed[k][l + HALF];
    }
    return;
  }
  double part[LANES];
  for (int l = 0; l < LANES; ++l) part[l] = l >= b.count ? 0.0 : !row_j || row_j[l] < owned_end ? 1.0 : 0.5;
  for (int k = NORMAL_ENERGY; k < b.observables; ++k) {
    const double *observed = b.observed[k];
    double *sum = sums[k];
#pragma omp simd
    for (int l = 0; l < HALF; ++l)
      sum[l] += (part[l] > 0.0 ? part[l] * observed[l] : 0.0) +
          (part[l + HALF] > 0.0 ? part[l + HALF] * observed[l + HALF] : 0.0);
  }
}

}    // namespace

GRANULAR_PLUS_LAWS_END

#endif
