# Compares figures of kernels with budgets: exits with 1 if one is more than 5 % above its budget, if a kernel has fewer
# lanes than its budget, or if a kernel or a budget is missing.
#
#   awk -v devices=DEVICES -v skipped=WORKLOADS -f bench/kernels/compare.awk BUDGETS ROWS
#
# Both files have rows of device (or subgroup), workload, kernel, and a figure for each column; "-" is none. BUDGETS
# names the columns in its last line that begins with "# ". Budgets count only for devices that are named, and for
# workloads that were not skipped.
BEGIN {
    tolerance = 5
    limited = "registers spills shared code instructions loads vector sectors cycles"
}
function fail(message) {
    print message
    failed = 1
}
function has(list, word) {
    return index(" " list " ", " " word " ")
}
{ key = $1 " " $2 " " $3 }
FNR == NR {
    if ($1 == "#") split(substr($0, 3), names)
    if (has(devices, $1)) budget[key] = $0
    next
}
!(key in budget) {
    fail(key ": no budget")
    next
}
{
    split(budget[key], held)
    delete budget[key]
    for (i = 4; i <= NF; i++) {
        over = has(limited, names[i]) && $i != "-" && $i > held[i] * (1 + tolerance / 100)
        if (over || (names[i] == "lanes" && $i < held[i])) fail(key ": " names[i] " " $i ", budget " held[i])
    }
}
END {
    for (key in budget) {
        split(key, parts)
        if (!has(skipped, parts[2])) fail(key ": a budget, and no such kernel")
    }
    exit failed
}
