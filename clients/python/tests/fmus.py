# ruff: noqa: E501
"""
FMUs for tests: a ball as an FMI 2 model exchange with events, an FMI 3 co-simulation of all types that can go wrong, and an FMI 2
co-simulation whose results depend on its steps.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

COMPILER = shutil.which("cc") or shutil.which("gcc")

# Falls from 1 m and bounces: states height and speed, an event at each touch of the ground.
BOUNCE_SOURCE = r"""
#include <stdlib.h>
#include "fmi2Functions.h"
typedef struct { double e, h, v, g; } Ball;
const char* fmi2GetTypesPlatform(void) { return "default"; }
const char* fmi2GetVersion(void) { return "2.0"; }
fmi2Component fmi2Instantiate(fmi2String n, fmi2Type t, fmi2String guid, fmi2String r, const fmi2CallbackFunctions* f, fmi2Boolean v, fmi2Boolean l) {
  Ball* b = malloc(sizeof(Ball)); b->e = 0.7; b->h = 1; b->v = 0; b->g = -9.81; return b; }
void fmi2FreeInstance(fmi2Component c) { free(c); }
fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean d, fmi2Real t, fmi2Real s, fmi2Boolean e, fmi2Real p) { return fmi2OK; }
fmi2Status fmi2EnterInitializationMode(fmi2Component c) { return fmi2OK; }
fmi2Status fmi2ExitInitializationMode(fmi2Component c) { return ((Ball*)c)->e > 1 ? fmi2Error : fmi2OK; }
fmi2Status fmi2Terminate(fmi2Component c) { return fmi2OK; }
static double* at(fmi2Component c, unsigned r) { Ball* b = c; return r == 0 ? &b->e : r == 1 ? &b->h : r == 2 ? &b->v : &b->g; }
fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference r[], size_t n, fmi2Real x[]) {
  for (size_t i = 0; i < n; i++) x[i] = *at(c, r[i]); return fmi2OK; }
fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference r[], size_t n, const fmi2Real x[]) {
  for (size_t i = 0; i < n; i++) *at(c, r[i]) = x[i]; return fmi2OK; }
fmi2Status fmi2EnterEventMode(fmi2Component c) { return fmi2OK; }
fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo* i) {
  Ball* b = c; i->newDiscreteStatesNeeded = fmi2False; i->terminateSimulation = fmi2False; i->nominalsOfContinuousStatesChanged = fmi2False;
  i->nextEventTimeDefined = fmi2False; i->valuesOfContinuousStatesChanged = fmi2False;
  if (b->h <= 0 && b->v < 0) { b->h = 1e-12; b->v *= -b->e; i->valuesOfContinuousStatesChanged = fmi2True; }
  return fmi2OK; }
fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c) { return fmi2OK; }
fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean n, fmi2Boolean* e, fmi2Boolean* t) { *e = *t = fmi2False; return fmi2OK; }
fmi2Status fmi2SetTime(fmi2Component c, fmi2Real t) { return fmi2OK; }
fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t n) { Ball* b = c; b->h = x[0]; b->v = x[1]; return fmi2OK; }
fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real d[], size_t n) { Ball* b = c; d[0] = b->v; d[1] = b->g; return fmi2OK; }
fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real z[], size_t n) { z[0] = ((Ball*)c)->h; return fmi2OK; }
fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real x[], size_t n) { Ball* b = c; x[0] = b->h; x[1] = b->v; return fmi2OK; }
fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real x[], size_t n) { x[0] = x[1] = 1; return fmi2OK; }
"""

BOUNCE_DESCRIPTION = """<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="Bounce" guid="{1}" numberOfEventIndicators="1">
  <ModelExchange modelIdentifier="Bounce"/>
  <UnitDefinitions><Unit name="m"><BaseUnit m="1"/><DisplayUnit name="mm" factor="1000"/></Unit></UnitDefinitions>
  <TypeDefinitions><SimpleType name="Length"><Real unit="m" displayUnit="mm" min="0" max="2"/></SimpleType></TypeDefinitions>
  <DefaultExperiment startTime="0" stopTime="1" stepSize="0.1"/>
  <ModelVariables>
    <ScalarVariable name="e" valueReference="0" causality="parameter" variability="tunable"><Real min="0.5" max="0.9" start="0.7"/></ScalarVariable>
    <ScalarVariable name="h" valueReference="1" causality="output" initial="exact"><Real declaredType="Length" start="1"/></ScalarVariable>
    <ScalarVariable name="v" valueReference="2" causality="local" initial="exact"><Real start="0" derivative="2"/></ScalarVariable>
    <ScalarVariable name="g" valueReference="3" causality="parameter" variability="fixed"><Real start="-9.81" max="1e60"/></ScalarVariable>
    <ScalarVariable name="dh" valueReference="2" causality="local"><Real derivative="2"/></ScalarVariable>
    <ScalarVariable name="dv" valueReference="3" causality="local"><Real derivative="3"/></ScalarVariable>
  </ModelVariables>
  <ModelStructure><Outputs><Unknown index="2"/></Outputs>
    <Derivatives><Unknown index="5"/><Unknown index="6"/></Derivatives></ModelStructure>
</fmiModelDescription>
"""

# y = gain * t for as long as its mode lets it.
MODES_SOURCE = r"""
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "fmi3Functions.h"
typedef struct { double j, t, tEnd; int64_t mode; int32_t n; bool isHalf; } Model;
const char* fmi3GetVersion(void) { return "3.0"; }
fmi3Instance fmi3InstantiateCoSimulation(fmi3String n, fmi3String t, fmi3String r, fmi3Boolean v, fmi3Boolean l, fmi3Boolean e, fmi3Boolean er,
  const fmi3ValueReference q[], size_t nq, fmi3InstanceEnvironment env, fmi3LogMessageCallback log, fmi3IntermediateUpdateCallback u) {
  Model* m = calloc(1, sizeof(Model)); m->mode = 1; m->n = 1; return m; }
void fmi3FreeInstance(fmi3Instance c) { free(c); }
fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean d, fmi3Float64 t, fmi3Float64 s, fmi3Boolean e, fmi3Float64 p) { return fmi3OK; }
fmi3Status fmi3ExitInitializationMode(fmi3Instance c) {
  if (((Model*)c)->mode != 4) return fmi3OK;
  fprintf(stderr, "the valve has no opening\n"); return fmi3Error; }
fmi3Status fmi3Terminate(fmi3Instance c) { return fmi3OK; }
fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference r[], size_t n, fmi3Float64 x[], size_t k) {
  Model* m = c; for (size_t i = 0; i < n; i++) x[i] = r[i] == 0 ? m->t : r[i] == 1 ? m->j : m->n * m->j * m->t * (m->isHalf ? 0.5 : 1); return fmi3OK; }
fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference r[], size_t n, const fmi3Float64 x[], size_t k) { ((Model*)c)->j = x[0]; return fmi3OK; }
fmi3Status fmi3GetInt32(fmi3Instance c, const fmi3ValueReference r[], size_t n, fmi3Int32 x[], size_t k) { x[0] = (int)((Model*)c)->t; return fmi3OK; }
fmi3Status fmi3SetInt32(fmi3Instance c, const fmi3ValueReference r[], size_t n, const fmi3Int32 x[], size_t k) { ((Model*)c)->n = x[0]; return fmi3OK; }
fmi3Status fmi3SetInt64(fmi3Instance c, const fmi3ValueReference r[], size_t n, const fmi3Int64 x[], size_t k) { ((Model*)c)->mode = x[0]; return fmi3OK; }
fmi3Status fmi3SetBoolean(fmi3Instance c, const fmi3ValueReference r[], size_t n, const fmi3Boolean x[], size_t k) { ((Model*)c)->isHalf = x[0]; return fmi3OK; }
fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 t, fmi3Float64 h, fmi3Boolean p, fmi3Boolean* e, fmi3Boolean* end, fmi3Boolean* early, fmi3Float64* last) {
  Model* m = c; m->t = t + h; *e = *early = false; *last = m->t; *end = m->mode == 5 && m->t > 0.5;
  if (m->mode == 2) { printf("the mesh is folded\n"); fflush(stdout); *(volatile int*)0 = 1; }
  if (m->mode == 3) pause();
  return fmi3OK; }
"""

MODES_DESCRIPTION = """<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="3.0" modelName="Modes" instantiationToken="{2}">
  <CoSimulation modelIdentifier="Modes" canHandleVariableCommunicationStepSize="true"/>
  <TypeDefinitions><EnumerationType name="Mode"><Item name="fine" value="1"/><Item name="crash" value="2"/><Item name="hang" value="3"/>
    <Item name="refuse" value="4"/><Item name="end" value="5"/></EnumerationType></TypeDefinitions>
  <DefaultExperiment stopTime="1.0" stepSize="0.125"/>
  <ModelVariables>
    <Float64 name="time" valueReference="0" causality="independent" variability="continuous"/>
    <Float64 name="body.J[1,1]" valueReference="1" causality="parameter" variability="tunable" min="0" max="4" start="9" unit="kg.m2"/>
    <Float64 name="y" valueReference="2" causality="output"/>
    <Int32 name="n" valueReference="3" causality="parameter" variability="fixed" min="1" max="3" start="1"/>
    <Int32 name="seconds" valueReference="4" causality="local" variability="discrete"/>
    <Boolean name="isHalf" valueReference="5" causality="parameter" variability="fixed" start="false"/>
    <Enumeration name="mode" valueReference="6" declaredType="Mode" causality="parameter" variability="fixed" start="1"/>
    <Float64 name="area" valueReference="7" causality="calculatedParameter" variability="fixed" initial="calculated"/>
  </ModelVariables>
  <ModelStructure><Output valueReference="2"/></ModelStructure>
</fmiModelDescription>
"""

# x' = -x by Euler's method, in the communication steps or in steps of its own; its clock then is behind. Refuses steps from a time on.
STEPS_SOURCE = r"""
#include <stdlib.h>
#include "fmi2Functions.h"
typedef struct { double x, refuses, isOver, own, clock; } Model;
const char* fmi2GetTypesPlatform(void) { return "default"; }
const char* fmi2GetVersion(void) { return "2.0"; }
fmi2Component fmi2Instantiate(fmi2String n, fmi2Type t, fmi2String guid, fmi2String r, const fmi2CallbackFunctions* f, fmi2Boolean v, fmi2Boolean l) {
  Model* m = calloc(1, sizeof(Model)); m->x = 1; m->refuses = 1e9; return m; }
void fmi2FreeInstance(fmi2Component c) { free(c); }
fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean d, fmi2Real t, fmi2Real s, fmi2Boolean e, fmi2Real p) { ((Model*)c)->clock = s; return fmi2OK; }
fmi2Status fmi2EnterInitializationMode(fmi2Component c) { return fmi2OK; }
fmi2Status fmi2ExitInitializationMode(fmi2Component c) { return fmi2OK; }
fmi2Status fmi2Terminate(fmi2Component c) { return fmi2OK; }
fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference r[], size_t n, fmi2Real x[]) {
  for (size_t i = 0; i < n; i++) x[i] = ((double*)c)[r[i]]; return fmi2OK; }
fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference r[], size_t n, const fmi2Real x[]) {
  for (size_t i = 0; i < n; i++) ((double*)c)[r[i]] = x[i]; return fmi2OK; }
fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean p) {
  Model* m = c;
  if (t > m->refuses - 1e-9) { m->x += 0.004; return fmi2Discard; }
  if (m->own == 0) { m->x -= h * m->x; m->clock = t + h; }
  else while (m->clock + m->own < t + h + 1e-9) { m->x -= m->own * m->x; m->clock += m->own; }
  return fmi2OK; }
fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind s, fmi2Boolean* v) { *v = ((Model*)c)->isOver > 0; return fmi2OK; }
fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind s, fmi2Real* v) { *v = ((Model*)c)->clock; return fmi2OK; }
"""

STEPS_DESCRIPTION = """<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="Steps" guid="{3}">
  <CoSimulation modelIdentifier="Steps" canHandleVariableCommunicationStepSize="true"/>
  <DefaultExperiment stopTime="1" stepSize="0.1"/>
  <ModelVariables>
    <ScalarVariable name="x" valueReference="0" causality="output" initial="exact"><Real start="1"/></ScalarVariable>
    <ScalarVariable name="refuses" valueReference="1" causality="parameter" variability="fixed"><Real start="1e9"/></ScalarVariable>
    <ScalarVariable name="isOver" valueReference="2" causality="parameter" variability="fixed"><Real start="0"/></ScalarVariable>
    <ScalarVariable name="own" valueReference="3" causality="parameter" variability="fixed"><Real start="0"/></ScalarVariable>
    <ScalarVariable name="time" valueReference="4" causality="independent" variability="continuous"><Real/></ScalarVariable>
  </ModelVariables>
  <ModelStructure><Outputs><Unknown index="1"/></Outputs></ModelStructure>
</fmiModelDescription>
"""


def build(folder: Path, name: str, *, platform: str | None = None, without: str = "") -> Path:
    """Bounce.fmu, Modes.fmu or Steps.fmu; with a platform one that has no binaries of another. `without` is left out of the description."""
    fmpy = pytest.importorskip("fmpy", reason="NOT CHECKED: FMPy is not installed")
    if COMPILER is None:
        pytest.skip("NOT CHECKED: there is no C compiler")
    source, description, here = {
        "Bounce": (BOUNCE_SOURCE, BOUNCE_DESCRIPTION, "linux64"),
        "Modes": (MODES_SOURCE, MODES_DESCRIPTION, "x86_64-linux"),
        "Steps": (STEPS_SOURCE, STEPS_DESCRIPTION, "linux64"),
    }[name]
    library = folder / f"{name}.so"
    (folder / f"{name}.c").write_text(source)
    headers = Path(fmpy.__file__).parent / "c-code"
    prefix = "fmi3" if name == "Modes" else "fmi2"
    # FMPy wants all functions of the standard, also those that no run calls.
    every = set(re.findall(rf"{prefix}\w+(?=TYPE\b)", (headers / f"{prefix}FunctionTypes.h").read_text()))
    (folder / "rest.c").write_text("".join(f"int {each}(void) {{ return 3; }}\n" for each in every if f" {each}(" not in source))
    command = [COMPILER, "-shared", "-fPIC", "-w", f"-I{headers}", "-o", str(library), *map(str, folder.glob(f"[{name[0]}r]*.c"))]
    subprocess.run(command, check=True, capture_output=True)
    with zipfile.ZipFile(folder / f"{name}.fmu", "w") as archive:
        archive.writestr("modelDescription.xml", description.replace(without, ""))
        archive.write(library, f"binaries/{platform or here}/{name}.{'dll' if platform else 'so'}")
    return folder / f"{name}.fmu"
