#!/bin/bash
# Writes the files of programs in this folder: bash test/runner/outputs/make_programs.sh. On Debian 12 install r-base-core lammps gromacs
# calculix-ccx nec2c getdp freefem++ octave maxima ngspice xtb sumo gnuplot gfortran sqlite3 jq gmsh glpk-utils units pari-gp datamash miller
# coinor-cbc mopac scilab-cli gretl hyperfine sox gmt qalc pspp. Times and dates in logs differ from run to run; the other files are the same.
here=$(cd "$(dirname "$0")" && pwd)
cd "$(mktemp -d)" || exit 1
# gnuplot
cat > a.gp <<'G'
set table "gnuplot-table.txt"
set samples 5
plot [0:4] x**2 title "mass"
unset table
$d << EOD
0 10
1 11.5
2 12.25
EOD
set print "gnuplot-stats.txt"
stats $d using 2 
set print
set fit logfile "gnuplot-fit.txt" quiet
f(x)=a+b*x
fit f(x) $d using 1:2 via a,b
set print "gnuplot-print.txt"
print sprintf("mass = %g kg", 61.5)
print "a = ", a
print sprintf("tt %.3e", 0.000255)
set table "gnuplot-with-table.csv" separator comma
plot $d using 1:2 with table
unset table
G
gnuplot a.gp 2> gnuplot-stats.txt

# gfortran
cat > a.f90 <<'F'
program a
real(8) :: t(3)=(/0d0,1d0,2d0/), m(3)=(/10d0,11.5d0,12.25d0/)
real(8) :: z
integer i
open(10,file='fortran-columns.txt'); write(10,'(2a12)') 'time','mass'
do i=1,3; write(10,'(2f12.4)') t(i),m(i); end do; close(10)
open(10,file='fortran-d-exponents.txt'); write(10,'(a)') '# time mass'
do i=1,3; write(10,'(2d14.6)') t(i),m(i); end do; close(10)
open(10,file='fortran-e3.txt'); write(10,'(a)') ' time mass'
write(10,'(2e12.4)') 0d0,1d-120; write(10,'(2e12.4)') 1d0,2.5d120;  close(10)
open(10,file='fortran-stars-column.txt'); write(10,'(a)') ' time    mass  force'
write(10,'(f5.1,f8.3,f7.2)') 0d0,10d0,1.5d0; write(10,'(f5.1,f8.3,f7.2)') 1d0,11.5d0,123456.7d0;
write(10,'(f5.1,f8.3,f7.2)') 2d0,12.25d0,2.5d0; close(10)
open(10,file='fortran-stars-apart.txt'); write(10,'(a)') ' time    mass  force'
write(10,'(f5.1,1x,f8.3,1x,f7.2)') 0d0,10d0,1.5d0; write(10,'(f5.1,1x,f8.3,1x,f7.2)') 1d0,11.5d0,123456.7d0; close(10)
open(10,file='fortran-list-directed.txt'); write(10,*) 'time mass'
do i=1,3; write(10,*) t(i),m(i); end do; close(10)
open(10,file='fortran-namelist.txt')
call nl(10); close(10)
open(10,file='fortran-nan.txt'); write(10,'(a)') ' time mass'
z=0; write(10,'(2f10.4)') 0d0,10d0; write(10,'(2f10.4)') 1d0,z/z; write(10,'(2f10.4)') 2d0,1/z; close(10)
open(10,file='fortran-complex.txt'); write(10,*) 'freq z'; write(10,*) 1.0, (1.5,-0.25); write(10,*) 2.0, (2.5,0.75); close(10)
open(10,file='fortran-logical.txt'); write(10,*) 'converged ', .true., ' steps ', 17, ' mass ', 61.5d0; close(10)
open(10,file='fortran-touch-fixed.txt'); write(10,'(a)') '       x       y       z'
write(10,'(3f8.3)') 1.5,-100.25,-250.125; write(10,'(3f8.3)') 2.5,-1000.25,-250.5; close(10)
open(10,file='fortran-one-number.txt'); write(10,*) 61.5d0; close(10)
open(10,file='fortran-repeat.txt'); write(10,*) 'time mass'; write(10,*) 1,2; close(10)
open(10,file='fortran-es.txt'); write(10,'(a,es12.4e3)') ' energy =',-1.2345d-7; write(10,'(a,en12.3)') ' power =',12345.6d0; close(10)
contains
subroutine nl(u)
integer u; real(8) :: mass=61.5d0, tilt(3)=(/1d0,1d0,2.5d-4/); logical :: ok=.true.
namelist /result/ mass, tilt, ok
write(u,nml=result)
end subroutine
end program
F
gfortran a.f90 -ffree-line-length-none -o a -fno-range-check && ./a
# octave
cat > a.m <<'M'
t=[0;1;2]; m=[10;11.5;12.25]; A=[t m];
save -text octave-save.txt A
save -ascii octave-ascii.txt A
dlmwrite("octave-dlmwrite.csv",A); csvwrite("octave-csvwrite.csv",A);
dlmwrite("octave-tabs.txt",A,"delimiter","\t","precision","%.6e");
f=fopen("octave-fprintf.txt","w"); fprintf(f,"%% time mass\n"); fprintf(f,"%g %g\n",A'); fclose(f);
f=fopen("octave-units.txt","w"); fprintf(f,"time,mass\n[s],[kg]\n"); fprintf(f,"%g,%g\n",A'); fclose(f);
diary octave-diary.txt
A
mass=61.5
tt=2.55e-4
B=[1e5 2.5e-4;3 4]
n=int32(7)
z=1.5-0.25i
x=NaN
s.mass=61.5
disp(m')
diary off
f=fopen("octave-json.json","w"); fputs(f,jsonencode(struct("mass",61.5,"curve",A,"bad",NaN))); fclose(f);
f=fopen("octave-csv-no-newline.csv","w"); fprintf(f,"time,mass\n0,10\n1,11.5\n2,12.25"); fclose(f);
f=fopen("octave-crlf.csv","w"); fprintf(f,"time,mass\r\n0,10\r\n1,11.5\r\n2,12.25\r\n"); fclose(f);
f=fopen("octave-second-table.csv","w"); fprintf(f,"time,mass\n"); fprintf(f,"%g,%g\n",A'); fprintf(f,"freq,gain\n"); fprintf(f,"%g,%g\n",[1 0.5;2 0.25]'); fclose(f);
M
octave --no-gui -q a.m > /dev/null
# scilab
cat > a.sce <<'S'
A=[0 10;1 11.5;2 12.25];
csvWrite(A,"scilab.csv");
csvWrite(A,"scilab-comma.csv",";",",");
csvWrite(A,"scilab-comments.csv",",",".","%.6f",["made by scilab";"run 7"]);
write("scilab-write.txt",A);
fprintfMat("scilab-fprintfMat.txt",A,"%5.2f","time mass");
mprintf("mass = %f\n",61.5);
disp(A)
B=[1d5 2.5d-4]
disp(B)
x=-0.5
z=1.5-0.25*%i
quit
S
scilab-cli -nb -f a.sce > scilab-output.txt 2>&1
# maxima
cat > a.mac <<'M'
mass: 61.5$ print("mass =", mass)$ print("small =", 2.55e-4)$ print("third =", 1/3)$ float(1/3);
sqrt(2.0); bfloat(%pi); M: matrix([0,10],[1,11.5],[2,12.25]); write_data(M,"maxima-write-data.txt")$ write_data(M,"maxima-write-data.csv",comma)$
expand((x+1)^2); printf(true,"tilt: ~,4f deg~%",2.5)$ printf(true,"~e~%",12345.678)$ tex(1/2)$ solve(x^2-4,x);
M
echo 'load("numericalio")$' | cat - a.mac > b.mac; sed -i '/^load/d' b.mac; sed -i 's/write_data(M,"maxima-write-data.txt")\$ write_data(M,"maxima-write-data.csv",comma)\$//' b.mac; maxima --very-quiet < b.mac > maxima-session.txt 2>&1
# pari
printf '' ; TERM=dumb gp -q -D colors=no > pari-session.txt <<'G'
mass=61.5
print("mass = ",mass)
2.55e-4
1/3.
1/3
[0,10;1,11.5;2,12.25]
2.5e-40
printf("tilt=%.3f E\n",2.5)
x^2+1
1e10
1e50*1.0
G

echo 'for(i=1,2,print((i+1.5)*1e-40," ",i))' | gp -q -D colors=no > pari-table.txt
# units, qalc
units -v '61.5 pounds' kg > units-verbose.txt; units -t '61.5 pounds' kg > units-terse.txt; units '5 feet' 'm' > units-plain.txt
qalc -t 61.5*2 > qalc-terse.txt 2>/dev/null ; qalc 61.5 pounds to kg > qalc-plain.txt 2>/dev/null; qalc '1e10/3' > qalc-large.txt
# R
cat > a.R <<'R'
d <- data.frame(time=c(0,1,2), mass=c(10,11.5,12.25))
write.csv(d, "r-write-csv.csv"); write.csv(d,"r-no-row-names.csv",row.names=FALSE); write.csv(d,"r-no-quotes.csv",row.names=FALSE,quote=FALSE)
write.table(d,"r-tabs.txt",sep="\t"); write.table(d,"r-tabs-no-row-names.txt",sep="\t",row.names=FALSE,quote=FALSE)
write.table(d,"r-col-names-na.csv",sep=",",col.names=NA)
write.table(d,"r-append.txt",row.names=FALSE); suppressWarnings(write.table(d,"r-append.txt",row.names=FALSE,append=TRUE))
e <- d; e$mass[2] <- NA; write.csv(e,"r-na.csv",row.names=FALSE); e$mass[2] <- Inf; write.csv(e,"r-inf.csv",row.names=FALSE)
f <- data.frame(case=c("steel, grade 5","cast \"iron\"","wood"), time=c(0,1,2), mass=c(10,11.5,12.25)); write.csv(f,"r-texts.csv",row.names=FALSE)
sink("r-summary-lm.txt"); m <- lm(mass~time,d); print(m); print(summary(m)); sink()
sink("r-print-frame.txt"); print(f); sink()
sink("r-print-vector.txt"); print(d$mass); print(seq(0,1,length.out=25)); sink()
sink("r-print-value.txt"); print(61.5); sink()
sink("r-cat.txt"); cat("mass =", 61.5, "kg\n"); cat("tilt =", 2.55e-4, "\n"); cat("big =", 1e5, "\n"); cat(format(1234567.891, big.mark=","), "\n", sep=""); cat("share =", sprintf("%.1f%%", 61.5), "\n"); sink()
sink("r-print-wide.txt"); options(width=40); print(data.frame(time=c(0,1),mass=c(10,11.5),force=c(1e5,2e5),stress=c(123456.7,2.5),strain=c(1e-5,2e-5))); sink()
sink("r-matrix.txt"); print(as.matrix(d)); sink()
write.table(format(d, nsmall=2), "r-formatted.txt", row.names=FALSE, quote=FALSE)
write(t(as.matrix(d)), "r-write.txt", ncolumns=2)
dput(list(mass=61.5, m=d$mass), "r-dput.txt")
write.csv2(d,"r-csv2-no-row-names.csv",row.names=FALSE)
sink("r-nls.txt"); x <- 0:9; y <- 3*exp(-0.5*x)+c(.01,-.01,.02,-.02,.01,0,-.01,.02,0,-.01); print(nls(y~a*exp(-k*x),start=list(a=2,k=1))); sink()
sink("r-optim.txt"); print(optim(c(1,1),function(p) (p[1]-3)^2+(p[2]+0.5)^2,method="BFGS")); sink()
d$time[2] <- NA; write.table(d,"r-blank-na.txt",na=""); d$time[2] <- 1
write.table(d,"r-second-table.txt",row.names=FALSE); suppressWarnings(write.table(d[,2:1],"r-second-table.txt",row.names=FALSE,append=TRUE))
v <- c(1061,12.5,3); write.table(data.frame(time=0:2,mass=prettyNum(v,big.mark=".",decimal.mark=",")),"r-german-thousands.csv",sep=";",row.names=FALSE,quote=FALSE)
write.csv(data.frame(name=c("mass","status","cost"),value=c("61.5","ok","3")),"r-key-value.csv",row.names=FALSE,quote=FALSE)
R
Rscript a.R
# lammps
cat > in.lj <<'L'
units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 3 0 3 0 3
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
fix 1 all nve
compute t all temp
compute k all ke/atom
compute msd all msd
fix s all ave/time 10 1 10 c_t file lammps-scalar.txt
fix m all ave/time 10 1 10 c_msd[4] c_t file lammps-msd.txt title1 "# MSD" title2 "# step msd temp"
fix c all ave/chunk 10 1 30 b density/number file lammps-chunk.txt
L
sed -i 's/^fix c.*/compute b all chunk\/atom bin\/1d z lower 1.2\nfix c all ave\/chunk 10 1 30 b density\/number file lammps-chunk.txt/' in.lj
cat >> in.lj <<'L'
dump 1 all custom 30 lammps-dump.txt id x y z
dump_modify 1 first no sort id
variable s equal step
variable e equal etotal
fix p all print 10 "${s} ${e}" file lammps-print.txt title "# step energy" screen no
fix q all print 10 "${s},${e}" file lammps-print.csv title "step,energy" screen no
thermo 10
thermo_style custom step temp pe press
run 20
print "final temperature = $(temp) energy = $(etotal:%.4f)"
thermo_style multi
run 10
group g id <= 5
write_dump g custom lammps-write-dump.txt id vx
write_data lammps-data.txt nocoeff
L
lmp -in in.lj -log none > lammps-screen.txt 2>&1; head -60 lammps-screen.txt|cut -c1-100 >/dev/null
# ccx
cat > beam.inp <<'C'
*NODE, NSET=NALL
1,0,0,0
2,10,0,0
3,10,1,0
4,0,1,0
5,0,0,1
6,10,0,1
7,10,1,1
8,0,1,1
*ELEMENT, TYPE=C3D8, ELSET=EALL
1,1,2,3,4,5,6,7,8
*NSET,NSET=FIX
1,4,5,8
*NSET,NSET=TIP
2,3,6,7
*MATERIAL,NAME=S
*ELASTIC
210000,0.3
*DENSITY
7.8e-9
*SOLID SECTION,ELSET=EALL,MATERIAL=S
*BOUNDARY
FIX,1,3
*STEP
*STATIC
*CLOAD
2,3,-10
*NODE PRINT,NSET=TIP
U
*NODE PRINT,NSET=FIX,TOTALS=ONLY
RF
*EL PRINT,ELSET=EALL
S
*END STEP
C
ccx beam > ccx-screen.txt 2>&1; cp beam.dat ccx-static.txt; head -c 1500 beam.sta > ccx-sta.txt
# nec2c
cat > a.nec <<'N'
CM dipole
CE
GW 1 5 0 0 -0.25 0 0 0.25 0.001
GE 0
EX 0 1 3 0 1 0
FR 0 1 0 0 290 0
RP 0 3 1 1000 0 0 45 0
XQ
EN
N
nec2c -i a.nec -o nec2c-output.txt
# getdp
cat > a.geo <<'G'
lc=0.5;
Point(1)={0,0,0,lc};Point(2)={1,0,0,lc};
Line(1)={1,2};
Physical Point(1)={1};Physical Point(2)={2};Physical Line(3)={1};
G
gmsh -1 a.geo -format msh2 -o a.msh > gmsh-screen.txt 2>&1; cp a.msh gmsh-mesh.txt
cat > a.pro <<'P'
Group { L=Region[1]; R=Region[2]; D=Region[3]; }
Function { k[]=2.5; }
Constraint { { Name T; Case { {Region L; Value 0;} {Region R; Value 10;} } } }
FunctionSpace { { Name H; Type Form0; BasisFunction { { Name s; NameOfCoef v; Function BF_Node; Support D; Entity NodesOf[All]; } } Constraint { { NameOfCoef v; EntityType NodesOf; NameOfConstraint T; } } } }
Jacobian { { Name J; Case { { Region All; Jacobian Lin; } } } }
Integration { { Name I; Case { { Type Gauss; Case { { GeoElement Line; NumberOfPoints 3; } } } } } }
Formulation { { Name F; Type FemEquation; Quantity { { Name v; Type Local; NameOfSpace H; } } Equation { Galerkin { [k[]*Dof{d v},{d v}]; In D; Jacobian J; Integration I; } } } }
Resolution { { Name A; System { { Name S; NameOfFormulation F; } } Operation { Generate[S]; Solve[S]; SaveSolution[S]; } } }
PostProcessing { { Name P; NameOfFormulation F; Quantity { { Name v; Value { Term { [{v}]; In D; Jacobian J; } } } { Name e; Value { Integral { [k[]*{d v}*{d v}]; In D; Jacobian J; Integration I; } } } } } }
PostOperation { { Name Q; NameOfPostProcessing P; Operation {
 Print[v, OnLine{{0,0,0}{1,0,0}}{4}, Format Table, File "getdp-line.txt"];
 Print[v, OnLine{{0,0,0}{1,0,0}}{4}, Format SimpleTable, File "getdp-simple.txt"];
 Print[v, OnLine{{0,0,0}{1,0,0}}{4}, Format TimeTable, File "getdp-time.txt"];
 Print[e[D], OnGlobal, Format Table, File "getdp-energy.txt"];
 Print[e[D], OnGlobal, Format Table, File > "getdp-appended.txt"];
 Print[e[D], OnGlobal, Format Table, SendToServer "x", File "getdp-global.txt"];
 Print[v, OnPoint{0.5,0,0}, Format Gmsh, File "getdp-gmsh.txt"];
 } } }
P
for i in 1 2; do getdp a.pro -msh a.msh -solve A -pos Q > getdp-screen.txt 2>&1; done
# freefem
cat > a.edp <<'F'
mesh Th=square(4,4); fespace Vh(Th,P1); Vh u,v;
solve P(u,v)=int2d(Th)(dx(u)*dx(v)+dy(u)*dy(v))-int2d(Th)(v)+on(1,2,3,4,u=0);
cout << "max u = " << u[].max << endl; cout << "energy = " << int2d(Th)(u) << " J" << endl;
{ ofstream f("freefem-line.txt"); f << "x u" << endl; for(int i=0;i<=4;i++){ f << i/4. << " " << u(i/4.,0.5) << endl; } }
{ ofstream f("freefem-vector.txt"); f << u[] << endl; }
{ ofstream f("freefem-scientific.txt"); f.precision(12); f.scientific << u[].max << endl; }
{ ofstream f("freefem-append.txt",append); f << 1 << "\t" << u[].max << endl; f << 2 << "\t" << u[].sum << endl;}
F
FreeFem++ -nw -v 0 a.edp > freefem-screen.txt 2>&1
# xtb
cat > w.xyz <<'X'
3

O 0.0 0.0 0.117
H 0.0 0.757 -0.469
H 0.0 -0.757 -0.469
X
xtb w.xyz --json > xtb-full.txt 2>&1; grep -n "TOTAL ENERGY" -B12 -A8 xtb-full.txt | sed 's/^[0-9]*[:-]//' > xtb-summary.txt; cp xtbout.json xtb-out.json; cp charges xtb-charges.txt; xtb w.xyz --opt > x.txt 2>&1; cp xtbopt.xyz xtb-opt.xyz.txt
printf 'time,mass\n0,10\n1,11.5\n2,12.25\n' > d.csv
S="sqlite3 :memory:"
{ echo ".import --csv d.csv d"; echo ".headers on"; for m in list csv column table markdown box json line tabs quote; do echo ".mode $m"; echo ".output sqlite-$m.txt"; echo "select cast(time as real) time, cast(mass as real) mass from d;"; done; } > s.sql
$S < s.sql
jq -Rn '[inputs]' d.csv > jq-lines.json; jq -n '{mass:61.5,curve:{x:[0,1,2],y:[10,11.5,12.25]},big:1e400,small:1e-400,text:"12.5 kg",list:[{mass:1},{mass:2}],"a/b":3}' > jq-object.json; jq -nr '[0,10],[1,11.5]|@tsv' > jq-tsv.txt; jq -nr '["time","mass"],[0,10],[1,11.5]|@csv' > jq-csv.csv; jq -n '61.5' > jq-number.txt; jq -nc '{mass:1},{mass:2}' > jq-lines-of-json.json; jq -n '{"mass":61.5,"mass2":[1,[2,3]]}' > jq-nested.json
for f in pprint xtab json ojsonl; do mlr --icsv --o${f#o} cat d.csv > miller-$f.txt; done; mlr --icsv --opprint --barred cat d.csv > miller-barred.txt; mlr --icsv --ocsv stats1 -a mean,p50 -f mass d.csv > miller-stats.csv; mlr --icsv --omd cat d.csv > miller-markdown.txt; mlr --icsv --onidx cat d.csv > miller-nidx.txt; mlr --icsv --odkvp cat d.csv > miller-dkvp.txt
datamash -t, --header-in mean 2 < d.csv > datamash-mean.txt; datamash -t, -H mean 2 sum 2 < d.csv > datamash-headers.csv;  datamash -W --header-out sum 1 mean 2 < <(tail -n +2 d.csv | tr , ' ') > datamash-header-out.txt; LC_ALL=de_DE.UTF-8 datamash -t, --header-in -R 3 mean 2 < d.csv > datamash-rounded.txt
# ngspice
cat > n.cir <<'N'
rc
v1 in 0 ac 1 pulse(0 1 0 1n 1n 1)
r1 in out 1k
c1 out 0 1u
.control
tran 0.5m 3m
meas tran vend find v(out) at=2m
meas tran tr when v(out)=0.5
meas tran vmax max v(out)
ac dec 1 10 1000
wrdata ngspice-ac.txt v(out)
print v(out) > ngspice-complex.txt
set wr_vecnames
set wr_singlescale
wrdata ngspice-ac-names.txt vm(out) vdb(out)
op
print all > ngspice-op.txt
write ngspice-raw.txt v(out)
quit
.endc
.end
N
sed -i 's/^write/set filetype=ascii\nwrite/' n.cir
ngspice -b n.cir > ngspice-meas.txt 2>&1; 
# glpk cbc
cat > a.lp <<'L'
Maximize
 obj: 3 x + 2.5 y
Subject To
 c1: x + y <= 4
 c2: x + 3 y <= 6
Bounds
 x <= 3
Integers
 y
End
L
glpsol --lp a.lp -o glpk-solution.txt > glpk-screen.txt; glpsol --lp a.lp -w glpk-raw.txt >/dev/null; glpsol --nomip --lp a.lp --ranges glpk-ranges.txt > /dev/null
sed -i 's/^Integers/General/' a.lp
cbc a.lp solve solution cbc-solution.txt > cbc-screen.txt 2>&1
# hyperfine
hyperfine -N -w 1 -r 5 'sleep 0.01' --export-csv hyperfine.csv --export-json hyperfine.json --export-markdown hyperfine-markdown.txt > hyperfine-screen.txt 2>&1
sox -n -r 8000 t.wav synth 0.1 sine 440 vol 0.5; sox t.wav -n stat 2> sox-stat.txt; sox t.wav -n stats 2> sox-stats.txt; sox t.wav -t dat - 2>/dev/null| head -12 > sox-dat.txt; sox -n -c2 -r 8000 t2.wav synth 0.1 sine 440 sine 880; sox t2.wav -n stats 2> sox-stats-stereo.txt
# gmt
printf '0 10\n1 11.5\n2 12.25\n' | gmt info > gmt-info.txt; printf '0 10\n1 11.5\n2 12.25\n' | gmt sample1d -I0.5 -Fl > gmt-sample.txt; printf '> first\n0 10\n1 11.5\n> second\n0 20\n1 21\n' | gmt convert > gmt-segments.txt; printf '0 10\n1 11.5\n2 12.25\n' | gmt regress -Fxymr > gmt-regress.txt
printf 'DATA LIST LIST (",") /time mass.\nBEGIN DATA\n0,10\n1,11.5\n2,12.25\nEND DATA.\nDESCRIPTIVES mass.\nLIST.\nREGRESSION /VARIABLES=time /DEPENDENT=mass.\n' > a.sps; pspp a.sps > pspp-output.txt 2>&1; pspp -O format=csv a.sps > pspp-output.csv 2>&1
cat > a.inp <<'G'
open d.csv --quiet
ols mass 0 time
printf "slope = %.4f\n", $coeff(time)
print mass --byobs
summary mass
G
gretlcli -b a.inp > gretl-session.txt 2>&1
cat > w.mop <<'M'
PM7 1SCF
water

O 0 0 0
H 0.96 1 0 0 0 0 1
H 0.96 1 104 1 0 0 1 2
M
mopac w.mop >/dev/null 2>&1; cp w.arc mopac-arc.txt
# sumo
cat > n.nod.xml <<'X'
<nodes><node id="a" x="0" y="0"/><node id="b" x="500" y="0"/><node id="c" x="1000" y="0"/></nodes>
X
cat > n.edg.xml <<'X'
<edges><edge id="ab" from="a" to="b" numLanes="1" speed="13.9"/><edge id="bc" from="b" to="c" numLanes="1" speed="13.9"/></edges>
X
cat > r.rou.xml <<'X'
<routes><vType id="t" sigma="0"/><route id="r" edges="ab bc"/><vehicle id="0" type="t" route="r" depart="0"/><vehicle id="1" type="t" route="r" depart="5"/></routes>
X
netconvert -n n.nod.xml -e n.edg.xml -o n.net.xml > sumo-netconvert.txt 2>&1
SUMO_HOME=/usr/share/sumo; export SUMO_HOME
sumo -n n.net.xml -r r.rou.xml --summary-output sumo-summary.xml --tripinfo-output sumo-tripinfo.xml --duration-log.statistics --no-step-log -e 100 > sumo-screen.txt 2>&1
# gromacs
cat > t.top <<'G'
[ defaults ]
1 2 no 1.0 1.0
[ atomtypes ]
Ar 39.948 0.0 A 0.3405 0.9960
[ moleculetype ]
Ar 1
[ atoms ]
1 Ar 1 Ar Ar 1 0.0 39.948
[ system ]
argon
[ molecules ]
Ar 64
G
python3 - > c.gro <<'P'
print("argon"); print(64)
n=0
for i in range(4):
  for j in range(4):
    for k in range(4):
      n+=1; print("%5d%-5s%5s%5d%8.3f%8.3f%8.3f"%(n,"Ar","Ar",n,i*.6+.1,j*.6+.1,k*.6+.1))
print("   2.40000   2.40000   2.40000")
P
cat > m.mdp <<'G'
integrator=md
nsteps=20
dt=0.002
nstenergy=5
nstlog=10
nstcalcenergy=5
rlist=0.9
rcoulomb=0.9
rvdw=0.9
verlet-buffer-tolerance=-1
gen-vel=yes
gen-temp=300
gen-seed=1
G
gmx -quiet -nobackup grompp -f m.mdp -c c.gro -p t.top -o r.tpr -maxwarn 5 > gg.txt 2>&1; gmx -quiet mdrun -s r.tpr -deffnm r -ntmpi 1 -ntomp 1 -pin off > gm.txt 2>&1; tail -3 gm.txt
printf 'Potential\nTemperature\n\n' | gmx -quiet energy -f r.edr -o gromacs-energy.xvg > gromacs-energy-screen.txt 2>/dev/null; printf 'Potential\nTemperature\n\n' | gmx -quiet energy -f r.edr -xvg none -o gromacs-energy-none.txt > /dev/null 2>&1
grep -n "Energies (kJ/mol)" -B4 -A5 r.log | sed 's/^[0-9]*[:-]//' > gromacs-md.txt; head -8 r.gro > gromacs-gro.txt
mv gromacs-energy.xvg gromacs-energy.txt
mv gromacs-energy-none.txt.xvg gromacs-energy-none.txt

# Only the files of the list, without the names of this machine.
for file in *; do
  [ -e "$here/$file" ] && sed -E "s#$PWD/?#./#g; s#<[a-z]+@[^>]+>#<user@host>#" "$file" > "$here/$file"
done
