#include "driven_wall.h"
#include "../glue/file_for_all.h"
#include "../glue/mesh_words.h"
#include "mesh_output.h"
#include "mesh_warnings.h"
#include "triangle_lists.h"
#include "../glue/surroundings.h"
#include "../core/geometry/meshes/patches.h"
#include "../core/geometry/shapes/mesh_parts.h"

#include "../core/laws/contact.h"
#include "../glue/over_ranks.h"

#include "atom.h"
#include "comm.h"
#include "domain.h"
#include "error.h"
#include "neighbor.h"
#include "update.h"

#include <algorithm>
#include <cmath>

using namespace LAMMPS_NS;
using granular_plus::MOST_PATCHES;
using granular_plus::NON_NEGATIVE;
using granular_plus::Patch;
using granular_plus::PATCH_REACH;
using granular_plus::Vector;
using granular_plus::vector_of;

namespace {

class MeshWall : public DrivenWall {
 public:
  MeshWall(LAMMPS *lmp, std::string file) : DrivenWall(lmp), file(std::move(file)), warnings(lmp, this->file) {}

  std::vector<OptionsOf> options() override
  {
    std::vector<OptionsOf> all = DrivenWall::options();
    all.push_back(PLACEMENT.of(placement));
    all.push_back(OPTIONS.of(*this));
    return all;
  }

  void complete() override
  {
    around = surroundings();
    try {
      const auto corners = granular_plus::parse_stl(file_for_all(lmp, file));
      mesh = std::make_unique<granular_plus::TriangleMesh>(corners, placement, feature, around);
      check_place();
      mesh->refuse_overlaps();
      near.set_mesh(*mesh);
    } catch (const granular_plus::MeshError &e) {
      error->all(FLERR, "granular/plus: mesh {}: {}", file, e.what());
    } catch (const std::bad_alloc &) {
      error->all(FLERR, "granular/plus: mesh {}: not enough memory", file);
    }
    tell();
    if (every > 0) output = std::make_unique<granular_plus::MeshOutput>(*mesh, wear);
    for (int d = 0; d < 3; ++d) torque_reference[d] = 0.5 * (mesh->low()[d] + mesh->high()[d]);
    has_middle = true;
  }

  void init() override
  {
    DrivenWall::init();
    near.forget(0);
    judge_sizes();
    if ((domain->xperiodic || domain->yperiodic || domain->zperiodic) && domain->box_change)
      error->all(FLERR,
                 "granular/plus: mesh {}: the box must not change in a periodic dimension, because the mesh does not "
                 "change with the box",
                 file);
    judge_box();
  }

  void move() override
  {
    DrivenWall::move();
    if (neighbor->ago == 0 || near.size() < atom->nmax) refresh();
    finder.shares.clear();
    patches.clear();
  }

  void refresh() override { near.forget(atom->nmax); }

  std::optional<granular_plus::SimpleSurface> simple() const override
  {
    granular_plus::SimpleSurface surface{};
    surface.kind = granular_plus::SimpleSurface::MESH;
    surface.frame = frame();
    std::copy_n(shear, 3, surface.belt);
    const bool has_images = std::any_of(around.periodic, around.periodic + 3, [](bool periodic) { return periodic; });
    surface.margin = has_images ? 0.5 * neighbor->skin : std::max(0.5 * neighbor->skin, largest_radius);
    return surface;
  }

  std::shared_ptr<const granular_plus::FlatMesh> triangles() const override
  {
    if (!flat) flat = std::make_shared<const granular_plus::FlatMesh>(mesh->flat());
    return flat;
  }

  std::string obstacle_on_gpu() const override { return output ? "files of the load on triangles (keyword vtk)" : ""; }

  double clearance(const double *x, double radius) override { return mesh->distance(to_body(x), FAR * radius); }

  double gap_after_contact(double radius) const override { return (PATCH_REACH - 1.0) * radius; }

  void points_near(int particle, const double *x, double radius, double cutoff, int previous_contacts,
                   std::vector<WallPoint> &points) override
  {
    const Vector in_body = to_body(x);
    const double reach = std::max(cutoff, PATCH_REACH * radius);
    update_list(particle, in_body, reach, radius);
    if (particle + 1 < atom->nlocal && !near.of(particle + 1).empty())
      mesh->prefetch(near.triangles(particle + 1)[near.of(particle + 1).likely]);
    TriangleLists::List &list = near.of(particle);
    if (!list.empty()) add_patches(particle, list, in_body, radius, cutoff, previous_contacts, points);
  }

  void admit_shapes() override
  {
    const std::string problem = find_parts();
    if (!problem.empty()) error->all(FLERR, problem);
  }

  const granular_plus::MeshParts *parts_near(int particle, const granular_plus::Body &grain, Vector &origin,
                                             granular_plus::Rotation &axes) override
  {
    if (!parts) {
      const std::string problem = find_parts();
      if (!problem.empty()) error->one(FLERR, problem);
    }
    const double *x = atom->x[particle], radius = atom->radius[particle];
    const Vector in_body = to_body(x);
    axes = rotation;
    origin = vector_of(x) - from_body(in_body);
    const bool is_new = update_list(particle, in_body, FURTHEST * radius, radius);
    const TriangleLists::List &list = near.of(particle);
    if (list.empty()) return nullptr;
    const granular_plus::MeshParts::Candidates candidates{near.triangles(particle), list.end - list.begin, list.place,
                                                          list.reach};
    if (is_new) {
      free_sides.resize(near.candidates().size());
      const double distance =
          parts->find_free_sides(candidates, axes.back(grain.core() - origin), free_sides.data() + list.begin);
      judge_depth(particle, distance, grain.core_depth());
    }
    parts->set_candidates(candidates, free_sides.data() + list.begin);
    return parts.get();
  }

  Vector belt(const Vector &normal) const override { return vector_of(shear) - dot(normal, vector_of(shear)) * normal; }

  int max_points() const override { return MOST_PATCHES; }
  bool has_patches() const override { return true; }

  void record(const WallPoint &point, const double *force, double sliding_distance) override
  {
    if (!output) return;
    double along = 0.0, square = 0.0;
    for (int d = 0; d < 3; ++d) {
      along += force[d] * point.separation[d] / point.distance;
      square += force[d] * force[d];
    }
    const Patch &patch = patches[point.patch];
    output->add(finder.shares.data() + patch.first_share, finder.shares.data() + patch.end_share, along,
                std::sqrt(std::max(0.0, square - along * along)), sliding_distance, update->dt);
  }

  void note_merger(int particle, const WallPoint &point) override
  {
    note(MeshWarnings::MERGED, particle, patches[point.patch]);
  }

  void end_of_step() override
  {
    if (neighbor->ago == 0 || update->ntimestep == update->laststep) {
      warnings.warn();
    }
    if (!output) return;
    if (is_time_step(*update)) output->end_step(update->dt);
    if (update->ntimestep % every == 0 && update->ntimestep != written) write_output();
  }

  std::vector<double> state() const override
  {
    std::vector<double> all = DrivenWall::state();
    if (!output) return all;
    const auto sums = output->totals(world);
    all.insert(all.end(), sums.begin(), sums.end());
    return all;
  }

  bool restore(const double *state, int size) override
  {
    if (!DrivenWall::restore(state, size)) return false;
    const int before = static_cast<int>(identity().size()) + STATE_SIZE;
    if (!output || size == before) return true;
    written = update->ntimestep;
    return output->restore(state + before, size - before, comm->me == 0);
  }

  double memory_usage() const override { return static_cast<double>(mesh->bytes() + near.bytes()); }

 protected:
  std::vector<double> identity() const override
  {
    const double *low = mesh->low(), *high = mesh->high();
    return {'m',
            static_cast<double>(mesh->size()),
            low[0],
            low[1],
            low[2],
            high[0],
            high[1],
            high[2],
            mesh->shortest_edge,
            mesh->longest_edge};
  }

  void add_surface_velocity(WallBody &) override {}    // points_near sets the velocity

 private:
  static constexpr double FAR = 20.0;    // upper limit of clearance, in radii

  std::string file, output_name;
  granular_plus::Placement placement;
  double feature = 30.0, wear = 0.0;
  bool one_sided = false;
  int every = 0;
  bigint written = -1;
  std::unique_ptr<granular_plus::TriangleMesh> mesh;
  mutable std::shared_ptr<const granular_plus::FlatMesh> flat;
  std::unique_ptr<granular_plus::MeshOutput> output;
  std::unique_ptr<granular_plus::MeshParts> parts;    // for grains with a shape

  TriangleLists near;
  std::vector<signed char> free_sides;
  granular_plus::PatchFinder finder;
  // WallPoint::patch is an index into this list
  std::vector<Patch> patches;

  MeshWarnings warnings;
  // If the gradient of the overlap is above this value, the particle probably touches a face, not an edge.
  static constexpr double OF_FACE = 0.9;
  void note(MeshWarnings::Event event, int particle, const Patch &patch)
  {
    warnings.note(event, atom->tag[particle], mesh->number(patch.triangle));
  }

  [[gnu::noinline]] void add_patches(int particle, TriangleLists::List &list, const Vector &in_body, double radius,
                                     double cutoff, int previous_contacts, std::vector<WallPoint> &points)
  {
    const std::size_t first = patches.size();
    const int *triangles = near.triangles(particle);
    finder.find(*mesh, {triangles, list.end - list.begin, list.flat, list.likely}, in_body, radius, cutoff,
                previous_contacts, patches);
    if (list.flat && patches.size() > first && patches[first].triangle != triangles[list.likely])
      list.likely = static_cast<int>(
          std::find(triangles, triangles + (list.end - list.begin), patches[first].triangle) - triangles);
    for (std::size_t k = first; k < patches.size(); ++k) {
      const Patch &patch = patches[k];
      const double distance = radius - patch.overlap;
      WallPoint &point = points.emplace_back();
      point.surface = -1;
      point.distance = distance;
      point.surface_radius = granular_plus::FLAT;
      point.gradient = patch.gradient;
      point.patch = static_cast<int>(k);
      point.hidden = patch.hidden;
      const Vector normal = from_body(patch.normal);
      write(point.separation, distance * normal);
      write(point.surface_velocity, belt(normal));
      if (one_sided && patch.behind && patch.overlap > 0.0) note(MeshWarnings::STRAY, particle, patch);
      if (patch.opposed) note(MeshWarnings::OPPOSED, particle, patch);
      if (patch.hidden && patch.overlap > 0.0 && patch.gradient > OF_FACE) note(MeshWarnings::PIERCED, particle, patch);
    }
  }

  static const Options<MeshWall> OPTIONS;

  void check_place()
  {
    const double *low = mesh->low(), *high = mesh->high();
    for (int d = 0; d < 3; ++d) {
      const double from = around.low[d], to = around.high[d];
      // covers the rounding of coordinates to single precision in STL files
      const double margin = 1.0e-6 * (to - from);
      if (high[d] < from - margin || low[d] > to + margin)
        error->all(FLERR,
                   "granular/plus: mesh {}: its extent in {} from {} to {} must overlap the box, which extends from {} "
                   "to {}",
                   file, "xyz"[d], low[d], high[d], from, to);
      if (!around.periodic[d]) continue;
      if (domain->triclinic) error->all(FLERR, "granular/plus: mesh {}: a periodic box must not be triclinic", file);
      if (low[d] < from - margin || high[d] > to + margin)
        error->all(FLERR,
                   "granular/plus: mesh {}: its extent in {} from {} to {} must be within the box, which extends from "
                   "{} to {}, because the box is periodic in {}; if the file uses another unit, use keyword scale",
                   file, "xyz"[d], low[d], high[d], from, to, "xyz"[d]);
      if (turns() || !is_free(d))
        if (!(is_sheared(d) && !turns()))
          error->all(FLERR,
                     "granular/plus: mesh {} can neither move in {} nor rotate, because the box is periodic in {}; for "
                     "a moving belt, use keyword shear",
                     file, "xyz"[d], "xyz"[d]);
    }
  }

  void tell()
  {
    if (comm->me != 0) return;
    utils::logmesg(
        lmp, "  mesh {}: {} triangles; lengths of edges from {:.4g} to {:.4g}; {} edges belong to only one triangle\n",
        file, mesh->size_of_file() - mesh->without_area, mesh->shortest_edge, mesh->longest_edge, mesh->open_edges);
    const granular_plus::Vector middle_of_box = 0.5 * (vector_of(around.low) + vector_of(around.high));
    const double reach = granular_plus::length(vector_of(around.high) - middle_of_box);
    if (!(mesh->distance(middle_of_box, reach) < reach))
      error->warning(
          FLERR,
          "granular/plus: mesh {}: no triangle reaches into the box; if the file uses another unit, use keyword scale",
          file);
    if (mesh->without_area > 0)
      error->warning(FLERR, "granular/plus: mesh {}: {} triangles of zero area are left out", file, mesh->without_area);
    if (mesh->crowded_edges > 0)
      error->warning(FLERR, "granular/plus: mesh {}: {} edges belong to more than two triangles", file,
                     mesh->crowded_edges);
  }

  granular_plus::PeriodicBox surroundings() const
  {
    granular_plus::PeriodicBox now;
    const double *low = domain->triclinic ? domain->boxlo_bound : domain->boxlo;
    const double *high = domain->triclinic ? domain->boxhi_bound : domain->boxhi;
    for (int d = 0; d < 3; ++d) {
      now.periodic[d] = domain->periodicity[d] != 0;
      now.low[d] = low[d];
      now.high[d] = high[d];
    }
    return now;
  }

  void judge_box() const
  {
    const granular_plus::PeriodicBox now = surroundings();
    for (int d = 0; d < 3; ++d) {
      const double period = around.high[d] - around.low[d];
      const double change = std::fabs(now.low[d] - around.low[d]) + std::fabs(now.high[d] - around.high[d]);
      if (now.periodic[d] != around.periodic[d] || (around.periodic[d] && change > 1e-12 * period))
        error->all(FLERR,
                   "granular/plus: mesh {}: the box has changed in a periodic dimension since the mesh was read; "
                   "define the fix again",
                   file);
    }
  }
  granular_plus::PeriodicBox around;

  // Returns an error message, or an empty string.
  std::string find_parts()
  {
    if (parts) return {};
    std::string problem;
    if (mesh->crowded_edges > 0)
      problem = fmt::format("this mesh has {} edges with more than two triangles; use pysuite mesh --repair",
                            mesh->crowded_edges);
    else if (mesh->open_edges > 0)
      problem =
          fmt::format("this mesh has {} open edges; use pysuite mesh --repair to close narrow gaps or --thicken to "
                      "turn a sheet into a plate, or give the wall a group that contains no grains with a shape",
                      mesh->open_edges);
    else
      try {
        parts = std::make_unique<granular_plus::MeshParts>(*mesh);
      } catch (const granular_plus::MeshError &e) {
        problem = fmt::format("in this mesh {}; use pysuite mesh --repair", e.what());
      }
    if (problem.empty()) return {};
    return fmt::format("granular/plus: mesh {}: grains with a shape need a closed mesh: {}", file, problem);
  }

  // A grain whose innermost point comes close to the mesh could pass through the mesh unnoticed.
  void judge_depth(int particle, double distance, double core_depth) const
  {
    constexpr double LEAST = 0.25;
    if (distance < LEAST * core_depth)
      error->one(
          FLERR,
          "granular/plus: mesh {}: grain {} overlaps the wall too much: the distance of its innermost point "
          "from the mesh = {:.4g} must be >= {:.4g}, which is {} times the depth of this point in the grain; use "
          "a stiffer contact model, a smaller time step or another initial position",
          file, atom->tag[particle], distance, LEAST * core_depth, LEAST);
  }

  void judge_reach(int particle, double reach) const
  {
    const double needed = reach + 0.5 * neighbor->skin;
    for (int d = 0; d < 3; ++d) {
      const double period = around.high[d] - around.low[d], most = granular_plus::PeriodicBox::REACH * period;
      if (around.periodic[d] && needed > most)
        error->one(
            FLERR,
            "granular/plus: mesh {}: the search for triangles near grain {} extends to a distance of {:.8g} from its "
            "centre, including half the skin; this distance must be <= {:.8g}, which is {} times the period of the "
            "box; use a longer box or a smaller skin",
            file, atom->tag[particle], needed, most, granular_plus::PeriodicBox::REACH);
    }
  }
  // reach of the search for candidates, in radii; includes the farthest nodes of a grain with a shape
  static constexpr double FURTHEST = 1.3;

  void judge_sizes()
  {
    double here = 0.0;
    for (int i = 0; i < atom->nlocal; ++i) here = std::max(here, atom->radius[i]);
    const double largest = most_over_ranks(world, here);
    largest_radius = largest;
    const double per_grain = std::min<double>(mesh->size(), NEAR * largest * largest / mesh->mean_area());
    if (per_grain > MANY && !judged && comm->me == 0) {
      judged = true;
      error->warning(FLERR,
                     "granular/plus: mesh {}: triangles are small compared with grains of radius {:.4g}: each grain "
                     "touches about {:.0f} triangles, and each triangle takes 0.1 to 0.3 microseconds per step; use "
                     "fewer triangles (see pysuite mesh)",
                     file, largest, per_grain);
    }
  }
  static constexpr double NEAR = granular_plus::PI * (PATCH_REACH * PATCH_REACH - 1.0), MANY = 30.0;
  bool judged = false;
  double largest_radius = 0.0;

  bool update_list(int particle, const Vector &place, double reach, double radius)
  {
    const bool is_new = near.update(particle, place, reach, radius, 0.5 * neighbor->skin);
    if (is_new) judge_reach(particle, reach);
    return is_new;
  }

  void write_output()
  {
    std::string name = output_name;
    name.replace(name.find('*'), 1, std::to_string(update->ntimestep));
    const auto place = [this](const Vector &corner) {
      return from_body(corner - vector_of(pivot)) + (vector_of(pivot) + vector_of(displacement));
    };
    if (any_over_ranks(world, !output->write(name, world, place)))
      error->all(FLERR, "{}: keyword vtk: cannot write file {}", message_prefix, name);
    written = update->ntimestep;
  }
};

const Options<MeshWall>
    MeshWall::OPTIONS("meshes as walls",
                      {{"feature",
                        // lower bound > 0, because the rounding of coordinates to six digits causes small angles
                        // between triangles of one plane
                        {Operand::number("angle", "degrees", {0.1, 90.0, true, true})},
                        "triangles that meet at a smaller angle form one smooth surface",
                        "30",
                        [](MeshWall &wall, const Operands &given) { wall.feature = given.number(0); }},
                       {"onesided",
                        {Operand::yes_or_no()},
                        "yes: give a warning that names the first grain that gets behind the surface",
                        "no",
                        [](MeshWall &wall, const Operands &given) { wall.one_sided = given.yes(0); }},
                       {"wear",
                        {Operand::number("K", "1/pressure", NON_NEGATIVE)},
                        "worn volume divided by the normal force and the sliding distance",
                        "0",
                        [](MeshWall &wall, const Operands &given) { wall.wear = given.number(0); }},
                       {"vtk",
                        {Operand::whole("N", "steps"), Operand::word("FILE", "a file")},
                        "the load on the triangles is written at the start and every N steps; the step replaces the * "
                        "in the name FILE",
                        "none",
                        [](MeshWall &wall, const Operands &given) {
                          wall.every = given.whole(0);
                          wall.output_name = given.word(1);
                          if (std::count(wall.output_name.begin(), wall.output_name.end(), '*') != 1)
                            given.refuse(1, "a name with one *, which stands for the step");
                        }}});

}    // namespace

std::unique_ptr<WallSurface> LAMMPS_NS::make_mesh_wall(LAMMPS *lmp, const std::string &file)
{
  return std::make_unique<MeshWall>(lmp, file);
}
