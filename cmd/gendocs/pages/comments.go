package pages

import (
	"fmt"
	"go/ast"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"sonde/schema"
)

// comments reads what the source says of types and their fields; the generated pages repeat it.
type comments struct {
	root   string // the folder of go.mod
	module string
	types  map[string]typeComment // by package path and name
	read   map[string]bool        // packages
}

// typeComment is the comment of a struct and those of its fields, by their Go names.
type typeComment struct {
	text   string
	fields map[string]string
}

func newComments(root string) *comments {
	return &comments{root: root, module: strings.TrimSuffix(reflect.TypeFor[schema.Set]().PkgPath(), "/schema"), types: map[string]typeComment{}, read: map[string]bool{}}
}

// of is the comment of a type.
func (c *comments) of(t reflect.Type) (typeComment, error) {
	if pkg := t.PkgPath(); !c.read[pkg] {
		c.read[pkg] = true
		if err := c.readPackage(pkg); err != nil {
			return typeComment{}, fmt.Errorf("reading the comments of package %s: %w", pkg, err)
		}
	}
	return c.types[t.PkgPath()+"."+t.Name()], nil
}

// readPackage reads the source of one of our own packages.
func (c *comments) readPackage(pkg string) error {
	rel, ours := strings.CutPrefix(pkg, c.module+"/")
	if !ours {
		return nil
	}
	dir := filepath.Join(c.root, filepath.FromSlash(rel))
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, e.Name()), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		c.file(pkg, file)
	}
	return nil
}

// file notes the comments of the struct types that a file declares.
func (c *comments) file(pkg string, file *ast.File) {
	for _, decl := range file.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.TYPE {
			continue
		}
		for _, spec := range gen.Specs {
			s := spec.(*ast.TypeSpec)
			doc := s.Doc
			if doc == nil && len(gen.Specs) == 1 {
				doc = gen.Doc
			}
			t := typeComment{text: prose(doc), fields: map[string]string{}}
			if st, ok := s.Type.(*ast.StructType); ok {
				t.note(st)
			}
			c.types[pkg+"."+s.Name.Name] = t
		}
	}
}

// note keeps the comments of a struct's fields.
func (t *typeComment) note(s *ast.StructType) {
	for _, f := range s.Fields.List {
		doc := f.Doc
		if doc == nil {
			doc = f.Comment
		}
		for _, name := range f.Names {
			t.fields[name.Name] = prose(doc)
		}
	}
}

// prose is a comment's text, one line a paragraph.
func prose(group *ast.CommentGroup) string {
	if group == nil {
		return ""
	}
	var p comment.Parser
	printer := comment.Printer{TextWidth: -1}
	return strings.TrimSpace(string(printer.Text(p.Parse(group.Text()))))
}
