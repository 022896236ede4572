// Tells whether a history of requests about one lead is linearizable: whether each request can have taken effect at one
// moment between its call and its return, so that all answers are right.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/anishathalye/porcupine"
)

// request is what a client sends.
type request struct {
	Kind    string  `json:"kind"`
	ID      string  `json:"id"`
	Suburb  *string `json:"suburb"`
	IfMatch string  `json:"ifMatch"`
}

// answer is what it gets: the status, and the lead as it is then.
type answer struct {
	Status int    `json:"status"`
	ID     string `json:"id"`
	Suburb string `json:"suburb"`
	Tag    string `json:"tag"`
}

type entry struct {
	Client  int     `json:"client"`
	Call    int64   `json:"call"`
	Return  int64   `json:"return"`
	Request request `json:"request"`
	Answer  answer  `json:"answer"`
}

// lead is the state: all fields are empty while there is none.
type lead struct {
	id, suburb, tag string
}

var model = porcupine.Model{
	Init: func() interface{} { return lead{} },
	Step: func(state, input, output interface{}) (bool, interface{}) {
		return step(state.(lead), input.(request), output.(answer))
	},
}

// step returns whether the answer is right for a request that takes effect now, and the lead from then on.
func step(now lead, sent request, got answer) (bool, lead) {
	isThere := now.id != ""
	if sent.Kind != "upsert" && (!isThere || now.id != sent.ID) {
		return got.Status == 404, now
	}
	if sent.IfMatch != "" && (!isThere || now.tag != sent.IfMatch) {
		return got.Status == 412 && got.Tag == now.tag, now
	}
	then := lead{got.ID, got.Suburb, got.Tag}
	switch {
	case sent.Kind == "delete":
		return got.Status == 200, lead{}
	case !isThere:
		isAsked := sent.Suburb == nil && then.suburb == "" || sent.Suburb != nil && then.suburb == *sent.Suburb
		return got.Status == 201 && then.id != "" && then.tag != "" && isAsked, then
	case sent.Suburb == nil:
		return got.Status == 200 && then == now, now
	default:
		isChanged := then.id == now.id && then.suburb == *sent.Suburb && then.tag != now.tag
		return got.Status == 200 && isChanged, then
	}
}

func main() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	var entries []entry
	if err := json.Unmarshal(text, &entries); err != nil {
		panic(err)
	}
	var operations []porcupine.Operation
	for _, one := range entries {
		operations = append(operations, porcupine.Operation{
			ClientId: one.Client, Input: one.Request, Call: one.Call, Output: one.Answer, Return: one.Return,
		})
	}
	fmt.Print(porcupine.CheckOperationsTimeout(model, operations, 10*time.Minute))
}
