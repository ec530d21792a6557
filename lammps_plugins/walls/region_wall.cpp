#include "driven_wall.h"
#include "region_part.h"

#include "../core/laws/contact.h"
#include "../glue/lammps_version.h"

#include "comm.h"
#include "domain.h"
#include "error.h"
#include "modify.h"
#include "region.h"
#include "update.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

using namespace LAMMPS_NS;

namespace {

/* ----------------------------------------------------------------------
   A wall whose surface is the surface of a region. Velocities are computed from positions, because LAMMPS loses the
   velocity of a region between runs. LAMMPS's velocity is also wrong for axes that are not of unit length, and is not
   passed to the parts of a compound (a union or intersection).
------------------------------------------------------------------------- */

class RegionWall : public WallSurface {
 public:
  RegionWall(LAMMPS *lmp, std::string id) : WallSurface(lmp), id(std::move(id)) { find_parts(); }

  std::string refusal(const std::string &keyword) const override
  {
    if (!DrivenWall::is_keyword(keyword)) return "";
    return fmt::format("keyword {} cannot be combined with wall style region; give region {} a motion instead", keyword,
                       id);
  }

  void init() override
  {
    const auto before = parts;
    find_parts();
    const auto same = [](const RegionPart &a, const RegionPart &b) { return a.region == b.region && a.is_known(); };
    if (std::equal(before.begin(), before.end(), parts.begin(), parts.end(), same)) {
      parts = before;
    } else if (comm->me == 0) {
      error->warning(FLERR, "granular/plus: region {} has changed between runs, so its motion starts over", id);
    }
    for (RegionPart &part : parts)
      part.is_curved = curvature_as_lammps ? !part.is_ellipsoid : has_one_curvature(*part.region);
    // otherwise LAMMPS would move the compound itself
    for (Region *compound : compounds) compound->moveflag = compound->rotateflag = 0;
  }

  void move() override
  {
    check_first_step();
    if (!region->dynamic_check()) return;
    modify->clearstep_compute();
    region->prematch();
    request_computes_for_next_step(lmp);
    if (region->varshape) region->set_velocity();
    for (std::size_t k = 0; k < parts.size(); ++k) parts[k].follow(*update, bodies[k]);
  }

  double clearance(const double *x, double radius) override
  {
    double least = INFINITY;
    for (const RegionPart &part : parts) {
      if (part.region->varshape || !part.has_distance) return 0.0;
      least = std::min(least, part.clearance(x, radius));
    }
    return least;
  }

  bool touches(const double *x, double radius) override
  {
    const bool tells = std::all_of(parts.begin(), parts.end(),
                                   [](const RegionPart &part) { return part.has_distance && !part.region->varshape; });
    if (tells) return clearance(x, radius) < radius;
    std::vector<WallPoint> points;
    points_near(0, x, radius, radius, 0, points);
    return !points.empty();
  }

  void points_near(int /*particle*/, const double *x, double /*radius*/, double cutoff, int /*previous_contacts*/,
                   std::vector<WallPoint> &points) override
  {
    const int count = find_surface(x, cutoff);
    for (int k = 0; k < count; ++k) {
      const auto &contact = region->contact[k];
      // A centre at distance 0 is either on the surface, which LAMMPS counts as inside, or just outside, at a distance
      // that was rounded to 0. Only the second case is a contact.
      if (contact.r == 0.0 && !region->interior && !region->match(x[0], x[1], x[2])) continue;
      const std::size_t body = part_with(contact.iwall);
      const bool is_curved = parts[body].is_curved && contact.radius != 0.0;
      WallPoint &point = points.emplace_back();
      point.surface = contact.iwall;
      point.body = static_cast<int>(body);
      point.separation[0] = contact.delx;
      point.separation[1] = contact.dely;
      point.separation[2] = contact.delz;
      point.distance = contact.r;
      point.surface_radius = is_curved ? contact.radius : granular_plus::FLAT;
      Region *part = parts[body].region;
      if (part->varshape && contact.varflag) {
        double place[3];
        for (int d = 0; d < 3; ++d) place[d] = x[d] - point.separation[d];
        part->velocity_contact_shape(point.surface_velocity, place);
      }
    }
  }

  void admit_shapes() override
  {
    if (!has_edges_outwards(*region)) return;
    error->all(
        FLERR,
        "granular/plus: region {}: if grains have a shape, a region must enclose them and have no edges that point "
        "inwards; for an obstacle between the grains, use a closed mesh",
        id);
  }

  int max_points() const override { return region->cmax; }

  std::vector<double> state() const override
  {
    std::vector<double> state(parts.size() * RegionPart::NUMBERS);
    for (std::size_t k = 0; k < parts.size(); ++k) parts[k].write_motion(&state[k * RegionPart::NUMBERS]);
    return state;
  }

  bool restore(const double *state, int size) override
  {
    if (size != static_cast<int>(parts.size() * RegionPart::NUMBERS)) return false;
    for (std::size_t k = 0; k < parts.size(); ++k) parts[k].read_motion(state + k * RegionPart::NUMBERS);
    return true;
  }

 private:
  std::string id;
  Region *region = nullptr;
  std::vector<RegionPart> parts;
  std::vector<Region *> compounds;

  void find_parts()
  {
    region = domain->get_region_by_id(id);
    if (!region) error->all(FLERR, "granular/plus: region {} does not exist", id);
    parts.clear();
    compounds.clear();
    add_parts(region);
    const bool rotates =
        std::any_of(parts.begin(), parts.end(), [](const RegionPart &part) { return part.region->rotateflag != 0; });
    if (!compounds.empty() && rotates && !granular_plus_compounds_rotate<Region>::value)
      error->all(FLERR,
                 "granular/plus: region {}: this LAMMPS ({}) loses contacts with rotating parts of a union or "
                 "intersection; define each part as a separate wall",
                 id, lmp->version);
    bodies.assign(parts.size(), WallBody{});
  }

  // `run … pre no` does not call init, so pointers to regions may be invalid
  void check_first_step()
  {
    if (update->setupflag || update->ntimestep != update->firststep + 1) return;
    const auto regions = domain->get_region_list();
    const auto is_gone = [&](const RegionPart &part) {
      return std::find(regions.begin(), regions.end(), part.region) == regions.end() || !part.is_known();
    };
    if (domain->get_region_by_id(id) == region && std::none_of(parts.begin(), parts.end(), is_gone)) return;
    error->all(FLERR, "granular/plus: region {} has been deleted or defined again; use run with pre yes", id);
  }

  // Where the curvature varies along a surface, the energy of a contact varies although no force does the work. The
  // curvature is constant on a sphere, inside a closed cylinder, and on a cylinder whose ends are outside the box.
  bool has_one_curvature(Region &of) const
  {
    if (utils::strmatch(of.style, "^sphere")) return true;
    if (!utils::strmatch(of.style, "^cylinder") || of.open_faces[2]) return false;
    const bool is_within = std::all_of(compounds.begin(), compounds.end(), [](const Region *r) { return r->interior; });
    return (is_within && of.interior && !of.openflag) || has_ends_outside_box(of);
  }

  // For each axis, tests two points far outside the box. Their coordinates along this axis are those of the two
  // boundaries of the box, or are far beyond the boundaries if the region moves or the box is tilted. The cylinder
  // extends to a boundary if the nearest point of the cylinder has the same coordinate.
  bool has_ends_outside_box(Region &of) const
  {
    constexpr double FAR = 1.0e6;    // in multiples of the box length
    const bool moves = of.dynamic_check() || of.varshape || domain->triclinic;
    const auto is_straight_across = [&](int axis, bool upper) {
      double place[3];
      for (int d = 0; d < 3; ++d) {
        const double far = d != axis || moves ? FAR * domain->prd[d] : 0.0;
        place[d] = upper ? domain->boxhi[d] + far : domain->boxlo[d] - far;
      }
      if (of.surface_exterior(place, INFINITY) == 0) return false;
      const double separation[3] = {of.contact[0].delx, of.contact[0].dely, of.contact[0].delz};
      return separation[axis] == 0.0;
    };
    for (int axis = 0; axis < 3; ++axis)
      if (is_straight_across(axis, false) && is_straight_across(axis, true)) return true;
    return false;
  }

  static bool has_edges_outwards(const Region &of)
  {
    const auto is = [&](const char *style) { return utils::strmatch(of.style, style); };
    if (!of.reglist) return !of.interior && !is("^plane");
    if (!of.interior || !is("^intersect")) return true;
    return std::any_of(of.reglist, of.reglist + of.nregion,
                       [](const Region *part) { return has_edges_outwards(*part); });
  }

  void add_parts(Region *of)
  {
    if (!of->reglist) {
      parts.emplace_back(of);
      if (parts.back().is_cone) mend_cone(parts.back());
      return;
    }
    compounds.push_back(of);
    for (int k = 0; k < of->nregion; ++k) {
      if (of->dynamic_check() && !of->interior && of->reglist[k]->reglist)
        error->all(FLERR,
                   "granular/plus: region {}: a union or intersection within another union or intersection must not "
                   "move",
                   id);
      add_parts(of->reglist[k]);
    }
  }

  void mend_cone(RegionPart &cone)
  {
    double centre[3], size = 0.0;
    for (int d = 0; d < 3; ++d) {
      centre[d] = 0.5 * (domain->boxlo[d] + domain->boxhi[d]);
      size += domain->boxhi[d] - domain->boxlo[d];
    }
    cone.ends = find_cone_ends(*cone.region, centre, size);
    int *open = cone.region->open_faces;
    for (int end = 0; end < 2; ++end) open[end] = std::max(open[end], cone.ends.closed[end]);
    if (cone.ends.across_y && cone.region != region && !(open[0] && open[1]))
      error->all(
          FLERR,
          "granular/plus: region {}: at the ends of region {}, a cone along y, LAMMPS pushes grains along z. In a "
          "union or intersection, open both ends (open 1 open 2) and close them with planes, or rotate the whole "
          "set-up so that the cone lies along x or z",
          id, cone.region->id);
  }

  // With `side in`, the surfaces of all parts of a compound are numbered consecutively. With `side out`, each part has
  // one number.
  std::size_t part_with(int surface) const
  {
    if (!region->reglist) return 0;
    const Region *of = region;
    while (of->reglist) {
      int part = 0;
      if (of->interior) {
        while (surface >= of->reglist[part]->cmax) surface -= of->reglist[part++]->cmax;
      } else {
        part = surface;
        surface = 0;    // the first part represents a nested compound, which is at rest
      }
      of = of->reglist[part];
    }
    const auto found = std::find_if(parts.begin(), parts.end(), [of](const RegionPart &p) { return p.region == of; });
    return found - parts.begin();
  }

  // For a point that is outside a cone but on its axis, LAMMPS finds no surface, so a slightly shifted point is used.
  int find_surface(const double *x, double cutoff)
  {
    if (std::none_of(parts.begin(), parts.end(), [](const RegionPart &part) { return part.is_cone; }))
      return surface_at(x, cutoff);
    const auto lost = [](const RegionPart &part) { return part.is_cone && std::isnan(part.region->contact[0].r); };
    for (RegionPart &part : parts)
      if (part.is_cone) part.region->contact[0].r = 0.0;
    const int count = surface_at(x, cutoff);
    if (std::none_of(parts.begin(), parts.end(), lost)) return count;
    const double beside[] = {x[0] + 4.8e-9 * cutoff, x[1] + 3.6e-9 * cutoff, x[2] + 8e-9 * cutoff};
    return surface_at(beside, cutoff);
  }

  // LAMMPS misses some points within the cutoff of an ellipsoid of unequal semi-axes, so the search uses a
  // larger cutoff. Inside an ellipsoid, this cutoff must stay below the shortest semi-axis.
  double cutoff_to_find(double cutoff) const
  {
    constexpr double ENOUGH = 4.0;    // sufficient for axes in the ratio 1 : 15
    double wider = cutoff;
    for (const RegionPart &part : parts) {
      if (!part.is_ellipsoid) continue;
      const Region &r = *part.region;
      const double shortest = 0.5 *
          std::min({r.extent_xhi - r.extent_xlo, r.extent_yhi - r.extent_ylo,
                    domain->dimension == 2 ? INFINITY : r.extent_zhi - r.extent_zlo});
      wider = std::max(wider, r.interior ? std::min(ENOUGH * cutoff, shortest * (1.0 - 1.0e-12)) : ENOUGH * cutoff);
    }
    return wider;
  }

  int within(double cutoff, int count)
  {
    const auto end = std::stable_partition(region->contact, region->contact + count,
                                           [cutoff](const Region::Contact &contact) { return contact.r < cutoff; });
    return static_cast<int>(end - region->contact);
  }

  // Is faster than Region::match and Region::surface, and gives bitwise the same result. The result differs only at
  // cones, because LAMMPS's errors are corrected.
  int surface_at(const double *x, double cutoff)
  {
    const RegionPart &part = parts.front();
    if (region->reglist || !part.has_distance) {
      if (!region->match(x[0], x[1], x[2])) return 0;
      return within(cutoff, region->surface(x[0], x[1], x[2], cutoff_to_find(cutoff)));
    }
    double place[3] = {x[0], x[1], x[2]};
    part.to_rest(place);
    int count = 0;
    if (region->openflag || !region->interior) {
      count = region->surface_exterior(place, cutoff);
      // LAMMPS reports the outside of a cone as concave
      if (part.is_cone) region->contact[0].radius = std::fabs(region->contact[0].radius);
    }
    if (count == 0 && (region->openflag || region->interior)) {
      count = region->surface_interior(place, cutoff);
      for (int k = 0; part.ends.across_y && k < count; ++k)
        if (region->contact[k].iwall < 2) std::swap(region->contact[k].dely, region->contact[k].delz);
    }
    if (region->rotateflag)
      for (int k = 0; k < count; ++k) {
        auto &contact = region->contact[k];
        double there[3] = {place[0] - contact.delx, place[1] - contact.dely, place[2] - contact.delz};
        part.from_rest(there);
        contact.delx = x[0] - there[0];
        contact.dely = x[1] - there[1];
        contact.delz = x[2] - there[2];
      }
    return count;
  }
};

}    // namespace

std::unique_ptr<WallSurface> LAMMPS_NS::make_region_wall(LAMMPS *lmp, const std::string &id)
{
  return std::make_unique<RegionWall>(lmp, id);
}
