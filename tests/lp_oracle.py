"""Holds the answers of the linear programs against HiGHS, a solver that shares nothing with ours.

    python3 tests/lp_oracle.py FOLDER

The folder holds what tests/linear_programs.rs writes: a program with its answer on each line.
"""

import json
import sys
from pathlib import Path

import highspy
import numpy as np

TOLERANCE = 1e-6


def optimum(costs, upper, rows, low, high):
    """The least cost of 0 <= x <= upper with low <= rows x <= high; rows are {column: value}."""
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("primal_feasibility_tolerance", 1e-9)
    solver.setOptionValue("dual_feasibility_tolerance", 1e-9)
    program = highspy.HighsLp()
    program.num_col_ = len(costs)
    program.num_row_ = len(rows)
    program.col_cost_ = np.array(costs, dtype=float)
    program.col_lower_ = np.zeros(len(costs))
    program.col_upper_ = np.array(upper, dtype=float)
    program.row_lower_ = np.array(low, dtype=float)
    program.row_upper_ = np.array(high, dtype=float)
    starts, columns, values = [0], [], []
    for row in rows:
        columns += row.keys()
        values += row.values()
        starts.append(len(columns))
    program.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    program.a_matrix_.start_ = np.array(starts, dtype=np.int32)
    program.a_matrix_.index_ = np.array(columns, dtype=np.int32)
    program.a_matrix_.value_ = np.array(values, dtype=float)
    solver.passModel(program)
    solver.run()
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        raise SystemExit(f"HiGHS says {solver.getModelStatus()}")
    return solver.getInfo().objective_function_value


def congestion(program):
    """The least time of a program, in seconds: its rows are divided by capacities."""
    unbounded = highspy.kHighsInf
    capacities = program["capacities"]
    rows = [{0: -1.0} for _ in capacities]
    largest = max(
        [one["bytes"] for one in program["commodities"]] + program["fixed"] + [1]
    )
    widest = max(capacities)
    # Times in units of `largest / widest`, bytes in units of the largest.
    high = [-load / largest * widest / all_ for load, all_ in zip(program["fixed"], capacities)]
    low = [-unbounded] * len(rows)
    costs = [1.0]
    for one in program["commodities"]:
        total = {}
        for route in one["routes"]:
            column = len(costs)
            costs.append(0.0)
            total[column] = 1.0
            for at, times in route:
                rows[at][column] = times * widest / capacities[at]
        rows.append(total)
        low.append(one["bytes"] / largest)
        high.append(one["bytes"] / largest)
    upper = [unbounded] * len(costs)
    return optimum(costs, upper, rows, low, high) * largest / widest


def covering(program):
    """The least sum of a covering program."""
    rows = [{} for _ in program["weights"]]
    for column, parts in enumerate(program["columns"]):
        for row, part in parts:
            rows[row][column] = part
    count = len(program["columns"])
    unbounded = highspy.kHighsInf
    return optimum(
        [1.0] * count, [unbounded] * count, rows, program["weights"], [unbounded] * len(rows)
    )


def weighed(program):
    """What the program's weights prove, in whole numbers: (numerator, denominator)."""
    weights = program["weights"]
    under = sum(w * c for w, c in zip(weights, program["capacities"]))
    over = sum(w * load for w, load in zip(weights, program["fixed"]))
    for one in program["commodities"]:
        over += one["bytes"] * min(
            sum(weights[at] * times for at, times in route) for route in one["routes"]
        )
    return over, under


def fullness(program):
    """The largest load over capacity of the program's split."""
    loads = list(program["fixed"])
    for one, split in zip(program["commodities"], program["split"]):
        assert sum(split) == one["bytes"], "a split does not add up"
        for route, part in zip(one["routes"], split):
            for at, times in route:
                loads[at] += part * times
    return max(load / all_ for load, all_ in zip(loads, program["capacities"]))


def main():
    folder = Path(sys.argv[1])
    worst = {}
    for path in sorted(folder.glob("*.jsonl")):
        worst[path.stem], count = 0.0, 0
        for number, line in enumerate(path.read_text().splitlines()):
            program = json.loads(line)
            count += 1
            if "columns" in program:
                found, values = covering(program), [program["optimum"]]
            else:
                found = congestion(program)
                over, under = weighed(program)
                values = [program["lower"], program["upper"], over / under if under else 0.0]
                # A byte is not divided: it costs each resource a byte for each commodity at most.
                loose = 16 * len(program["commodities"]) / min(program["capacities"])
                if fullness(program) > found * (1 + TOLERANCE) + loose:
                    raise SystemExit(f"{path.name}, line {number + 1}: the split takes longer")
            for value in values:
                error = abs(value - found) / found if found else abs(value)
                worst[path.stem] = max(worst[path.stem], error)
                if error > TOLERANCE:
                    raise SystemExit(f"{path.name}, line {number + 1}: {value}, not {found}")
        if count == 0:
            raise SystemExit(f"{path.name} is empty")
        print(f"{path.stem}: {count} programs, within {worst[path.stem]:.1e} of HiGHS")
    if not worst:
        raise SystemExit(f"no programs in {folder}")


main()
