package probe

import (
	"fmt"
	"slices"
	"strings"
)

const clocksource = "sys/devices/system/clocksource/clocksource0/"

// goodClocks are read without leaving the processor, or nearly so;
// Documentation/virt/kvm, Documentation/arch and drivers/clocksource name them.
var goodClocks = []string{
	"tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter", "riscv_clocksource", "timebase", "tod",
}

// badClocks take a microsecond and more to read, or move once a tick.
var badClocks = []string{"hpet", "acpi_pm", "pit", "jiffies", "refined-jiffies"}

// ClockSource says whether the kernel's clock is cheap and fine enough to
// measure by.
func ClockSource(root string) Fact {
	const name = "clock_source"
	at := under(root)
	current := at.text(clocksource + "current_clocksource")
	available := strings.Fields(at.text(clocksource + "available_clocksource"))
	switch {
	case current == "":
		return unknown(name, Quality, "not told", "/"+clocksource+"current_clocksource cannot be read")
	case slices.Contains(goodClocks, current):
		return yes(name, Quality, current)
	case !slices.Contains(badClocks, current):
		return unknown(name, Quality, current, "ccbench does not know what it costs to read "+current)
	}
	for _, better := range goodClocks {
		if slices.Contains(available, better) {
			return no(name, Quality, current+", which is slow or coarse; "+better+" is there",
				fmt.Sprintf("as root: echo %s >/%scurrent_clocksource", better, clocksource))
		}
	}
	return no(name, Quality, current+", which is slow or coarse",
		"a kernel that trusts its TSC (dmesg says why it does not; tsc=reliable on its command line where the processor's is stable)")
}
