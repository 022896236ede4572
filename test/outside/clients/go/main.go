// Makes each call with the generated client, and writes what its types know of the answers.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"slices"
	"strings"

	"example.com/calls/client"
)

type call struct {
	OperationID string            `json:"operationId"`
	Path        []json.RawMessage `json:"path"`
	Query       json.RawMessage   `json:"query"`
	Body        json.RawMessage   `json:"body"`
}

type answer struct {
	OperationID string   `json:"operationId"`
	Variants    []string `json:"variants"`
	Answer      any      `json:"answer"`
}

func main() {
	var input struct {
		BaseURL         string   `json:"baseUrl"`
		Token           string   `json:"token"`
		InvitationToken string   `json:"invitationToken"`
		Key             string   `json:"key"`
		KeyedPaths      []string `json:"keyedPaths"`
		Calls           []call   `json:"calls"`
	}
	read(os.Args[1], &input)
	base, err := url.Parse(input.BaseURL)
	check(err)
	authorize := func(_ context.Context, request *http.Request) error {
		if slices.Contains(input.KeyedPaths, strings.TrimPrefix(request.URL.Path, base.Path)) {
			query := request.URL.Query()
			query.Set("key", input.Key)
			request.URL.RawQuery = query.Encode()
			return nil
		}
		token := input.Token
		if strings.HasSuffix(request.URL.Path, "/accept") {
			token = input.InvitationToken
		}
		request.Header.Set("Authorization", "Bearer "+token)
		return nil
	}
	api, err := client.NewClientWithResponses(input.BaseURL, client.WithRequestEditorFn(authorize))
	check(err)
	answers := []answer{}
	for _, call := range input.Calls {
		body := invoke(api, call)
		answers = append(answers, answer{call.OperationID, variants(body), body})
	}
	text, err := json.Marshal(answers)
	check(err)
	check(os.WriteFile(os.Args[2], text, 0o644))
}

// What the answer turned out to be, where it can be one of several.
func variants(body any) []string {
	found := []string{}
	switch body := body.(type) {
	case *client.Inquiry:
		inquiry, err := body.ValueByDiscriminator()
		check(err)
		found = append(found, inquiryVariant(inquiry))
	case *client.StoredInquiry:
		return variants(&body.Inquiry)
	case *client.BatchReport:
		for _, result := range body.Results {
			item, err := result.ValueByDiscriminator()
			check(err)
			found = append(found, resultVariant(item))
		}
	}
	return found
}

func inquiryVariant(inquiry any) string {
	switch inquiry := inquiry.(type) {
	case client.CallInquiry:
		return "CALL " + inquiry.Data.RecordingUrl
	case client.EmailInquiry:
		return "EMAIL " + inquiry.Data.Subject
	case client.ChatbotInquiry:
		return "CHATBOT " + inquiry.Data.Messages[0].Text
	case client.SmsInquiry:
		return "SMS " + inquiry.Data.Messages[0].Text
	case client.WebformInquiry:
		return "WEBFORM " + inquiry.Data.FormName
	default:
		panic(fmt.Sprintf("no known inquiry: %T", inquiry))
	}
}

func resultVariant(result any) string {
	switch result := result.(type) {
	case client.BatchSuccess:
		return "ok " + result.Product.Name
	case client.BatchFailure:
		return "error " + string(result.Code)
	default:
		panic(fmt.Sprintf("no known result: %T", result))
	}
}

// The body of the answer, as the type that the generator gave it.
func invoke(api *client.ClientWithResponses, call call) any {
	name := strings.ToUpper(call.OperationID[:1]) + call.OperationID[1:]
	method := reflect.ValueOf(api).MethodByName(name + "WithResponse")
	if !method.IsValid() {
		log.Fatalf("there is no method %sWithResponse", name)
	}
	arguments := []reflect.Value{reflect.ValueOf(context.Background())}
	path := call.Path
	// The last are the request editors, of any number.
	for at := 1; at < method.Type().NumIn()-1; at++ {
		argument := reflect.New(method.Type().In(at))
		switch {
		case len(path) > 0:
			check(json.Unmarshal(path[0], argument.Interface()))
			path = path[1:]
		case argument.Elem().Kind() == reflect.Pointer:
			check(json.Unmarshal(call.Query, argument.Interface()))
		default:
			check(json.Unmarshal(call.Body, argument.Interface()))
		}
		arguments = append(arguments, argument.Elem())
	}
	results := method.Call(arguments)
	if err, failed := results[1].Interface().(error); failed {
		log.Fatalf("%s failed: %v", call.OperationID, err)
	}
	response := results[0]
	status := response.MethodByName("StatusCode").Call(nil)[0].Int()
	body := response.Elem().FieldByName(fmt.Sprintf("JSON%d", status))
	if status >= 400 || !body.IsValid() || body.IsNil() {
		log.Fatalf("%s answered %d: %s", call.OperationID, status, response.Elem().FieldByName("Body").Bytes())
	}
	return body.Interface()
}

func read(file string, into any) {
	text, err := os.ReadFile(file)
	check(err)
	check(json.Unmarshal(text, into))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
