"""
Changes that solar_build.py makes in the source of SOLAR: file, text, and the text in its place. No answer changes. SOLAR spends its time in
searches for temperatures: of the surface of the receiver, and of the walls of the storages.
"""

# A mirror is compared with the sunrays near it instead of with all.
RAY = """\
  double get_projectedX ( void ) const { return _projectedTarget[0]; }
  static double get_minDistance ( void ) { return _minDistance; }
"""
RAYS = "  double get_projectedX ( int i ) const { return _listOfSunrays[i]->get_projectedX(); }\n"
ALL_RAYS = """\
    for ( int i = 0; i < nb_heliostats; ++i )
      for ( int j = 0; j < listSize; ++j )
\tif ( _sun.computeCollision(j,*_listOfHeliostats[i]) )
\t  _listOfHeliostats[i]->increase_sunraysCount();
"""
NEAR_RAYS = """\
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

# Until its last steps, the search for the surface temperature of the receiver asks only on which side of Q_in an energy lies, and bounds of
# the conduction, which takes an iteration of its own, often tell.
RECEIVER_MEMBERS = """\
  // Results of computeEnergyToFluid by what they depend on: one day of a simulation often repeats another.
  struct Flow { double rate, efficiency, losses, temperature; };
  std::map<std::array<double, 3>, Flow> _flows;

  double computeConductionLosses ( double ) const;
  double convection              ( void ) const;
  bool   conductionBounds        ( double, double, double &, double & ) const;
"""
CONDUCTION_BOUNDS = """\
// The coefficient of convection that computeConductionLosses computes, in W/K.
double CentralReceiver::convection ( void ) const {
  const double width = _apertureWidth + 2.0 * _insulationThickness;
  const double Re = WIND_VELOCITY * width / AIR_VISCOSITY;
  if ( Re < 40000.0 )
    return 0.0;
  return AIR_CONDUCTIVITY * 0.027 * pow(Re, 0.805) * pow(0.707, 1.0 / 3.0) / width * _apertureHeight * PI * _apertureWidth / 2.0;
}

// Bounds, in W, of what computeConductionLosses answers at T; false where none are known. Its iteration keeps the temperature of the outer
// surface between that of the air and the one that the largest possible loss would need without radiation.
bool CentralReceiver::conductionBounds ( double T, double convection, double & low, double & high ) const {
  if ( !( T > T_ATM + 1.0 && convection > 0.0 ) )
    return false;
  const double radius = 0.5 * _apertureWidth;
  const double scale = PI * _apertureHeight / log((radius + _insulationThickness) / radius);
  const auto conductance = [&] ( double outer ) { return scale * (0.043 + 1.3e-4 * ((outer + T) / 2.0 - 273.0)); };
  const double outer = T_ATM + conductance(T) * (T - T_ATM) / convection + 0.1;
  if ( outer > T )
    return false;
  low  = (T - outer) * conductance(T_ATM) * (1.0 - 1e-6);
  high = (T - T_ATM) * conductance(outer) * (1.0 + 1e-6);
  return true;
}

"""
SEARCH = "  try {\n\n    Q_tot2 = 0.0;"
UNKNOWN_SEARCH = """\
  const std::array<double, 3> key = { Q_in, To, Ti };
  const auto known = _flows.find(key);
  const double k_conv = convection();
  double low, high;

  if ( known != _flows.end() ) {
    m_dot_2  = known->second.rate;
    eff      = known->second.efficiency;
    Q_loss   = known->second.losses;
    T_re_sur = known->second.temperature;
  }
  else try {

    Q_tot2 = 0.0;"""
EXACT_CONDUCTION = """\
	Q_cond = computeConductionLosses(T_re_sur);
	Q_loss = Q_ref + Q_em + Q_cond;
	
	Q_tot1 = Q_loss + Q_abs;
	
	++count2;

	if ( count2 > 1E6 ) // Added 2022-11-11
	  throw std::runtime_error ( "could not find converging value for central receiver absorbed energy (case 1)" );
"""
BOUNDED_CONDUCTION = """\
	++count2;

	if ( count2 > 1E6 ) // Added 2022-11-11
	  throw std::runtime_error ( "could not find converging value for central receiver absorbed energy (case 1)" );

	// A value 200 from Q_in stands for one that is more than 100 from it on the same side.
	if ( conductionBounds(T_re_sur, k_conv, low, high) ) {
	  if ( Q_ref + Q_em + Q_abs + low > Q_in + 101.0 ) {
	    Q_tot1 = Q_in + 200.0;
	    continue;
	  }
	  if ( Q_ref + Q_em + Q_abs + high < Q_in - 101.0 ) {
	    Q_tot1 = Q_in - 200.0;
	    continue;
	  }
	}
	Q_cond = computeConductionLosses(T_re_sur);
	Q_loss = Q_ref + Q_em + Q_cond;
	
	Q_tot1 = Q_loss + Q_abs;
"""
KEPT_FLOW = "  _receiverEfficiency = eff;\n  _flows[key] = { m_dot_2, eff, Q_loss, T_re_sur };\n"

# After 150 rounds without convergence the losses of a storage are taken for their worst case. A round that repeats one of the last eight
# will never converge.
ROUND = "\tenabler = true;\n\tT_i_t_2 = T_i_t_1;\n"
REPEATED_ROUND = """\
	const std::array<double, 10> now =
	  { T_i_t_1, T_i_w_1, q_t_cond_1, q_t_cond_2, q_w_cond_1, q_w_cond_2, T_o_t, T_o_w, R_t_cond, R_w_cond };
	const auto end = rounds.begin() + std::min(count, 8);
	if ( std::find(rounds.begin(), end, now) != end )
	  throw Simulation_Interruption ("Values for inside dry surfaces of storage repeat without convergence");
	rounds[count % 8] = now;

"""
# A search in steps of a thousandth goes down to where g1, which falls with T_1, is q. The steps far above that need no evaluation of g1.
STEPS = "      while (g1 > q) {\n"
SKIPPED_STEPS = """\
      if ( g1 > q && delta_T > 0.0 && coef_T4 > 0.0 && coef_T > 0.0 ) {
	// Newton's method approaches that temperature from above.
	double near = T_max, last = near + 1.0;
	while ( near < last ) {
	  last = near;
	  near -= (coef_T4 * near * near * near * near + coef_T * (near - T_min) - q) / (4.0 * coef_T4 * near * near * near + coef_T);
	}
	near = std::max(T_min, last * (1.0 + 1e-9));
	// Between 512 and 1024 all steps round to the same difference, except ties, and a multiple of it is exact.
	const double step  = T_1 - (T_1 - delta_T);
	const double steps = floor((T_1 - std::max(near, 512.0)) / step) - 1.0;
	if ( steps > 0.0 && T_1 < 1024.0 && fabs(delta_T - step) != 0x1p-44 )
	  T_1 = std::fma(-steps, step, T_1);
	while ( T_1 - delta_T > near )
	  T_1 -= delta_T;
      }
"""

# An exception that is caught to answer T_min, thousands of times in a run, takes longer than the search.
NOT_FOUND = '\t  throw Simulation_Interruption ("Could not find valid dry surface temperature for storage");\n'
HEADING = "/*-------------------------------------------------------------------------*/\ndouble CentralReceiver::computeEmissionLosses"

EDITS = (
    ("Sunray.hpp", "  double get_xTarget ", RAY + "  double get_xTarget "),
    ("Sun.hpp", "  void projectTarget ", RAYS + "  void projectTarget "),
    ("HeliostatField.cpp", ALL_RAYS, NEAR_RAYS),
    ("CentralReceiver.hpp", "  double computeConductionLosses ( double ) const;\n", RECEIVER_MEMBERS),
    ("CentralReceiver.cpp", HEADING, CONDUCTION_BOUNDS + HEADING),
    ("CentralReceiver.cpp", SEARCH, UNKNOWN_SEARCH),
    ("CentralReceiver.cpp", EXACT_CONDUCTION, BOUNDED_CONDUCTION),
    ("CentralReceiver.cpp", "  _receiverEfficiency = eff;\n", KEPT_FLOW),
    ("ThermalStorage.cpp", "  bool   enabler = false;\n", "  bool   enabler = false;\n  std::array<std::array<double, 10>, 8> rounds;\n"),
    ("ThermalStorage.cpp", ROUND, REPEATED_ROUND + ROUND),
    ("ThermalStorage.cpp", NOT_FOUND, "\t  return T_min;\n"),
    ("ThermalStorage.cpp", STEPS, SKIPPED_STEPS + STEPS),
)
