#!/usr/bin/env bash
# Validates and disassembles modules with SPIRV-Tools, independently of the project's own reader. Fails on a float
# operation without NoContraction, and on an instruction whose rounding devices may choose. The arguments are modules.
set -euo pipefail
status=0
for module in "$@"; do
    spirv-val --scalar-block-layout --target-env vulkan1.1 "$module" || status=1
    spirv-dis --raw-id --no-color "$module" | awk -v module="$(basename "$module")" '
        $1 == "OpDecorate" && $3 == "NoContraction" { decorated[$2] = 1 }
        $3 ~ /^OpF(Add|Sub|Mul|Negate)$/ { operations++; if (!decorated[$1]) { print module ": bare: " $0; bad = 1 } }
        $3 ~ /^Op(FDiv|FRem|FMod|Dot|VectorTimesScalar|VectorTimesMatrix|MatrixTimes[A-Za-z]*|OuterProduct|QuantizeToF16)$/ {
            print module ": banned: " $0; bad = 1 }
        $3 == "OpExtInst" && $6 !~ /^(Floor|FAbs|FClamp|FMin|FindILsb)$/ { print module ": banned: " $0; bad = 1 }
        END {
            print module ": " operations + 0 " float operations, all rounded on their own"
            exit bad || operations == 0
        }' || status=1
done
exit "$status"
