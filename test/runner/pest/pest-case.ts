/** A small case of PEST, with what people's files have: capital letters, tabs, Fortran, comments, options of PEST++. */

export const CONTROL = `pcf
# a comment
* control data
restart estimation
5 6 1 3 4
1 1 double point 1 0 0
5.0 2.0 0.3 0.03 10
3.0 3.0 0.001
0.1
30 0.01 3 3 0.01 3
1 1 1
* parameter groups
pg relative 0.01 0.0 switch 2.0 parabolic
* parameter data
K1\tlog\tfactor\t3.0D-01\t1e-2\t1e3\tpg\t1.0\t0.0\t1
n   none  relative  1.0  0.2  2000.0  pg  2.0  10.0  1  # behind
half tied factor 0.15 0 1 pg 1.0 0.0 1
still fixed factor 7 7 7 pg 1.0 0.0 1
wide none factor 5 0.001 10 pg 1 0 1
half k1
* observation groups
Heads
l_flow
* observation data
H1 1.5 50.0 heads
h2 2.5 0.0 heads
h3 3.5 20.0 heads
f1 9.0 1.0 l_flow
p1 0.0 0.0 forecast
T1 4.0 1.0 temps
* model command line
python3 model.py # 1
echo done
* model input/output
m.tpl  m.in
m.ins  out/m.out
* prior information
pi1 1.0 * log(K1) = 0.0 2.0 prior
pi2 1.0 * log(k1) - 2.0 * n = 1.0D0
& 1.0 prior
pi3 1.0 * n = 1.0 1.0 regul_n
++ies_num_reals(50) # some
++svd_pack(redsvd)
`;

export const TEMPLATE =
  'ptf ~\n~ k1             ~\n~n               ~\n~ half           ~\n~ still          ~\n~ wide           ~\n';
export const INSTRUCTIONS = 'pif ~\nl1 !h1! !h2! !h3!\nl1 !f1! !p1!\nl1 !t1!\n';
