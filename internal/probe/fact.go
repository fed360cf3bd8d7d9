package probe

import "errors"

// Answer is what is known of a fact.
type Answer string

// The answers. What could not be found out is Unknown, never a guess.
const (
	Yes     Answer = "yes"
	No      Answer = "no"
	Unknown Answer = "unknown"
)

// Need says what a fact is for.
type Need string

// The needs, in the order in which they are shown.
const (
	Required Need = "required" // without it nothing can be run
	Some     Need = "some"     // only some experiments ask for it
	Quality  Need = "quality"  // without it the numbers suffer, or a long run ends early
	Info     Need = "info"     // good to know
)

// Fact is one thing about a machine, as the answer to whether it is as ccbench
// wants it. Every No has a cure and every Unknown a why.
type Fact struct {
	Name    string `json:"name"`              // stable
	Subject string `json:"subject,omitempty"` // which one, where a name stands for several
	Need    Need   `json:"need"`
	Answer  Answer `json:"answer"`
	Detail  string `json:"detail"`         // one sentence with the figures
	Cure    string `json:"cure,omitempty"` // what would make it a yes; for No alone
	Why     string `json:"why,omitempty"`  // it could not be found out; for Unknown alone
	// Algorithm has what files tell of the congestion control that is the subject.
	Algorithm *Algorithm `json:"algorithm,omitempty"`
}

func yes(name string, need Need, detail string) Fact {
	return Fact{Name: name, Need: need, Answer: Yes, Detail: detail}
}

func no(name string, need Need, detail, cure string) Fact {
	return Fact{Name: name, Need: need, Answer: No, Detail: detail, Cure: cure}
}

func unknown(name string, need Need, detail, why string) Fact {
	return Fact{Name: name, Need: need, Answer: Unknown, Detail: detail, Why: why}
}

// Failure is the fact of something that was tried and failed with err. The cure
// is the error's own hint, or else another.
func Failure(name string, need Need, err error, cure string) Fact {
	var h interface{ Hint() string }
	if errors.As(err, &h) && h.Hint() != "" {
		cure = h.Hint()
	}
	return no(name, need, err.Error(), cure)
}
