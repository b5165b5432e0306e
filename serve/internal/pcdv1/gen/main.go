// Command gen writes the Go code of the schema in proto/: messages, and the clients and
// handlers of its services, and the description of its calls for OpenAPI. The plug-ins are those of its go.mod.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/linker"
	"google.golang.org/protobuf/cmd/protoc-gen-go/internal_gengo"
	"google.golang.org/protobuf/compiler/protogen"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

// module is the path before those of the files that are written.
const module = "github.com/go-pcd/pcd/"

// openAPIFile is the description of the calls, within the module.
const openAPIFile = "serve/internal/pcdv1/openapi.json"

func main() {
	log.SetFlags(0)
	schema := flag.String("proto", "", "folder of the schema")
	out := flag.String("out", "", "root of the module, which receives the files")
	flag.Parse()
	if err := run(*schema, *out, flag.Args()); err != nil {
		log.Fatal(err)
	}
}

// run compiles files of the schema and writes what the plug-ins make of them.
func run(schema, out string, names []string) error {
	request, err := compile(schema, names)
	if err != nil {
		return err
	}
	messages, err := goMessages(request)
	if err != nil {
		return err
	}
	services, err := goServices(request)
	if err != nil {
		return err
	}
	for _, f := range append(messages.File, services.File...) {
		name := filepath.Join(out, filepath.FromSlash(strings.TrimPrefix(f.GetName(), module)))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(f.GetContent()), 0o644); err != nil {
			return err
		}
	}
	text, err := openAPI(request)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, filepath.FromSlash(openAPIFile)), text, 0o644)
}

// compile returns what a plug-in is asked with: the files, behind those that they import.
func compile(schema string, names []string) (*pluginpb.CodeGeneratorRequest, error) {
	compiler := protocompile.Compiler{
		Resolver:       protocompile.WithStandardImports(&protocompile.SourceResolver{ImportPaths: []string{schema}}),
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	files, err := compiler.Compile(context.Background(), names...)
	if err != nil {
		return nil, err
	}
	request := &pluginpb.CodeGeneratorRequest{FileToGenerate: names}
	seen := map[string]bool{}
	for _, f := range files {
		request.ProtoFile = appendFile(request.ProtoFile, f, seen)
	}
	return request, nil
}

// appendFile appends a file behind its imports, each once.
func appendFile(all []*descriptorpb.FileDescriptorProto, f protoreflect.FileDescriptor, seen map[string]bool) []*descriptorpb.FileDescriptorProto {
	if seen[f.Path()] {
		return all
	}
	seen[f.Path()] = true
	imports := f.Imports()
	for i := range imports.Len() {
		all = appendFile(all, imports.Get(i).FileDescriptor, seen)
	}
	if r, ok := f.(linker.Result); ok {
		return append(all, r.FileDescriptorProto())
	}
	return append(all, protodesc.ToFileDescriptorProto(f))
}

// goMessages returns the code of messages.
func goMessages(request *pluginpb.CodeGeneratorRequest) (*pluginpb.CodeGeneratorResponse, error) {
	plugin, err := protogen.Options{}.New(request)
	if err != nil {
		return nil, err
	}
	for _, f := range plugin.Files {
		if f.Generate {
			internal_gengo.GenerateFile(plugin, f)
		}
	}
	r := plugin.Response()
	return r, failure(r)
}

// goServices returns the code of clients and handlers.
func goServices(request *pluginpb.CodeGeneratorRequest) (*pluginpb.CodeGeneratorResponse, error) {
	input, err := proto.Marshal(request)
	if err != nil {
		return nil, err
	}
	plugin := exec.Command("go", "tool", "protoc-gen-connect-go")
	plugin.Stdin, plugin.Stderr = bytes.NewReader(input), os.Stderr
	output, err := plugin.Output()
	if err != nil {
		return nil, fmt.Errorf("protoc-gen-connect-go: %w", err)
	}
	r := &pluginpb.CodeGeneratorResponse{}
	if err := proto.Unmarshal(output, r); err != nil {
		return nil, err
	}
	return r, failure(r)
}

// failure returns what a plug-in says went wrong.
func failure(r *pluginpb.CodeGeneratorResponse) error {
	if r.Error == nil {
		return nil
	}
	return fmt.Errorf("%s", r.GetError())
}
