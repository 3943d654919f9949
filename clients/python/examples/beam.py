"""A beam of one of three materials: as light as possible, and stiff enough."""

from backsolve import at_most, choice, minimize, real, solve

MATERIALS = {"steel": (7850, 210e9), "aluminium": (2700, 70e9), "oak": (700, 11e9)}


def beam(material: str, width: float, height: float) -> dict[str, float]:
    density, stiffness = MATERIALS[material]
    sag = 1000 * 2**3 / (48 * stiffness * width * height**3 / 12)
    return {"mass": 2 * density * width * height, "sag": sag * 1000}


inputs = {"material": choice(*MATERIALS), "width": real(0.02, 0.2), "height": real(0.02, 0.2)}
print(solve(beam, inputs, {"mass": minimize(5), "sag": at_most(5)}, constraints="height <= 4 * width", budget=60, parallel=2))
