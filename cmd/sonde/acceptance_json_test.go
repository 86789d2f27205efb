package main

import "time"

// promised is what once --output json prints, to the letter. It is written down a second time here, so
// that a change of the program's own types cannot change the promise unseen.
type promised struct {
	Results []promisedResult `json:"results"`
}

type promisedResult struct {
	Probe    string            `json:"probe"`
	Kind     string            `json:"kind"`
	Target   string            `json:"target"`
	Group    string            `json:"group"`
	Labels   map[string]string `json:"labels"`
	Verdict  string            `json:"verdict"`
	Reason   string            `json:"reason"`
	Stop     string            `json:"stop"`
	Error    string            `json:"error"`
	Started  time.Time         `json:"started"`
	Duration float64           `json:"duration_seconds"`
	Attempts []promisedAttempt `json:"attempts"`
}

type promisedAttempt struct {
	Number        int                `json:"number"`
	Transparent   bool               `json:"transparent"`
	Started       time.Time          `json:"started"`
	Duration      float64            `json:"duration_seconds"`
	OK            bool               `json:"ok"`
	Reason        string             `json:"reason"`
	Transient     bool               `json:"transient"`
	Evidence      string             `json:"evidence"`
	Error         string             `json:"error"`
	Limit         string             `json:"limit"`
	Phase         string             `json:"phase"`
	Late          float64            `json:"late_seconds"`
	Wait          float64            `json:"wait_seconds"`
	WaitSource    string             `json:"wait_source"`
	RemoteAddress string             `json:"remote_address"`
	Proxy         string             `json:"proxy"`
	Addresses     []promisedAddress  `json:"addresses"`
	Reused        bool               `json:"connection_reused"`
	Phases        map[string]float64 `json:"phases_seconds"`
	HTTP          *promisedHTTP      `json:"http"`
}

type promisedAddress struct {
	Address string `json:"address"`
	Error   string `json:"error"`
}

type promisedHTTP struct {
	Status           int           `json:"status"`
	Version          string        `json:"version"`
	URL              string        `json:"url"`
	Hops             []promisedHop `json:"hops"`
	BodyHead         string        `json:"body_head"`
	LengthUnverified bool          `json:"length_unverified"`
	AfterResend      bool          `json:"after_resend"`
}

type promisedHop struct {
	URL           string `json:"url"`
	Status        int    `json:"status"`
	RemoteAddress string `json:"remote_address"`
	Proxy         string `json:"proxy"`
}
