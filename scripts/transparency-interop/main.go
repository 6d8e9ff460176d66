// Checks logs, proofs, cosignatures and a witness of this workspace with what others wrote, and makes such things for
// it to check; see ../transparency-interop.sh.
//
//	transparency-interop check FOLDER
//	transparency-interop texts FOLDER
//	transparency-interop make FOLDER SIZE
//	transparency-interop tessera FOLDER ENTRIES WITNESS-KEY-FILE PAD
package main

import (
	"fmt"
	"os"
	"strconv"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "transparency-interop:", err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	switch {
	case len(arguments) == 2 && arguments[0] == "check":
		return check(arguments[1])
	case len(arguments) == 2 && arguments[0] == "texts":
		return checkTexts(arguments[1])
	case len(arguments) == 3 && arguments[0] == "make":
		size, err := strconv.ParseInt(arguments[2], 10, 64)
		if err != nil {
			return err
		}
		return makeLog(arguments[1], size)
	case len(arguments) == 5 && arguments[0] == "tessera":
		entries, err := strconv.Atoi(arguments[2])
		if err != nil {
			return err
		}
		return witnessed(arguments[1], entries, arguments[3], arguments[4])
	default:
		return fmt.Errorf("usage: check FOLDER | texts FOLDER | make FOLDER SIZE | tessera FOLDER ENTRIES WITNESS-KEY-FILE PAD")
	}
}
