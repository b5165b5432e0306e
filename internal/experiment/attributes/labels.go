package attributes

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/go-pcd/pcd/internal/env/portrait"
	"github.com/go-pcd/pcd/internal/plural"
	"github.com/go-pcd/pcd/internal/quote"
	"github.com/go-pcd/pcd/internal/regular"
	"github.com/go-pcd/pcd/nn"
)

// LabelError says what is wrong with a table of labels.
type LabelError struct {
	Path   string
	Line   int // 0 where the table as a whole is meant
	Reason string
}

func (e *LabelError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s %s", e.Path, e.Reason)
	}
	return fmt.Sprintf("%s, line %d: %s", e.Path, e.Line, e.Reason)
}

// unknown is the class of a picture whose label is left out.
const unknown = -1

// labelled is a picture with its classes, by head.
type labelled struct {
	path    string
	line    int // of the table
	classes []float32
}

// question is a head of the classifier with the reading of a cell of its column.
type question struct {
	head  nn.ClassifierHead
	class func(cell string) (int, error)
}

// questions are the columns that are read, by name. Source of the classes and of their order:
// the published classifiers.
var questions = map[string]question{
	"age":       {ageHead, classOfAge},
	"age_group": {ageHead, classOfGroup},
	"gender":    {nn.ClassifierHead{Name: "gender", Hidden: 128, Classes: []string{portrait.Male.String(), portrait.Female.String()}}, classOfGender},
}

var ageHead = nn.ClassifierHead{Name: "age_group", Hidden: 256, Classes: portrait.GroupNames()}

func classOfAge(cell string) (int, error) {
	years, err := strconv.ParseFloat(cell, 64)
	if err != nil || !(years >= 0 && years <= 150) {
		return 0, fmt.Errorf("age is %s, want years, 0 to 150", quote.Text(cell))
	}
	return portrait.GroupOf(math.Floor(years)), nil
}

func classOfGroup(cell string) (int, error) {
	if i := slices.Index(ageHead.Classes, cell); i >= 0 {
		return i, nil
	}
	return 0, fmt.Errorf("age_group is %s, want one of %s", quote.Text(cell), strings.Join(ageHead.Classes, ", "))
}

func classOfGender(cell string) (int, error) {
	switch strings.ToLower(cell) {
	case "m", "male", "man":
		return int(portrait.Male), nil
	case "f", "female", "woman":
		return int(portrait.Female), nil
	}
	return 0, fmt.Errorf("gender is %s, want male or female", quote.Text(cell))
}

// mostLabels bounds the bytes of a table.
const mostLabels = 256 << 20

// readLabels reads a table with a header: the column file, a path below dir, and age, in years,
// or age_group, and gender, of which each may be missing; so may be cells. Other columns are
// passed over.
func readLabels(path, dir string) ([]labelled, []nn.ClassifierHead, error) {
	f, err := regular.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	text, err := withoutMark(path, io.LimitReader(f, mostLabels))
	if err != nil {
		return nil, nil, err
	}
	r := csv.NewReader(text)
	r.TrimLeadingSpace = true
	header, err := r.Read()
	if err != nil {
		return nil, nil, &LabelError{Path: path, Reason: "has no header, want columns file, age or age_group, gender: " + err.Error()}
	}
	t, err := newTable(path, header)
	if err != nil {
		return nil, nil, err
	}
	seen := map[string]int{}
	var all []labelled
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, nil, &LabelError{Path: path, Reason: "is no table: " + err.Error()}
		}
		line, _ := r.FieldPos(0)
		one, err := t.row(record, dir)
		if before := seen[one.path]; err == nil && before > 0 {
			err = fmt.Errorf("%s was on line %d", quote.Text(record[t.file]), before)
		}
		if err != nil {
			return nil, nil, &LabelError{Path: path, Line: line, Reason: err.Error()}
		}
		one.line = line
		seen[one.path] = line
		all = append(all, one)
	}
	return all, t.heads(), t.check(path, all)
}

// The marks that spreadsheets begin text with: of UTF-8, and of both orders of bytes of UTF-16.
const (
	markUTF8   = "\ufeff"
	markLittle = "\xff\xfe"
	markBig    = "\xfe\xff"
)

// withoutMark returns the text of a table without the mark of its encoding, before which a quoted name would be none.
func withoutMark(path string, r io.Reader) (io.Reader, error) {
	b := bufio.NewReader(r)
	start, _ := b.Peek(len(markUTF8)) // of a shorter table, all
	first := string(start)
	if first == markUTF8 {
		_, err := b.Discard(len(markUTF8))
		return b, err
	}
	if strings.HasPrefix(first, markLittle) || strings.HasPrefix(first, markBig) {
		return nil, &LabelError{Path: path, Line: 1, Reason: "the table is text of UTF-16, want UTF-8: save it as CSV in UTF-8"}
	}
	return b, nil
}

// table says where the columns of a table of labels are.
type table struct {
	file    int
	columns []int // of the questions
	asked   []question
}

func newTable(path string, header []string) (table, error) {
	t := table{file: -1}
	for i, name := range header {
		name = strings.ToLower(strings.TrimSpace(name))
		q, ok := questions[name]
		switch {
		case name == "file":
			t.file = i
		case ok && slices.ContainsFunc(t.asked, func(other question) bool { return other.head.Name == q.head.Name }):
			return t, &LabelError{Path: path, Line: 1, Reason: fmt.Sprintf("column %s tells once more what another column does", name)}
		case ok:
			t.columns, t.asked = append(t.columns, i), append(t.asked, q)
		}
	}
	switch {
	case t.file < 0 && len(header) == 1 && strings.ContainsAny(header[0], ";\t|"):
		return t, &LabelError{Path: path, Line: 1, Reason: fmt.Sprintf("there is one column, %s, want columns divided by commas", quote.Text(header[0]))}
	case t.file < 0:
		return t, &LabelError{Path: path, Line: 1, Reason: "there is no column file, the path of each picture below the folder of pictures"}
	case len(t.asked) == 0:
		return t, &LabelError{Path: path, Line: 1, Reason: "there is none of the columns age, age_group and gender: nothing is told about the pictures"}
	}
	return t, nil
}

// heads lists those of the classifier, in the order of the columns.
func (t table) heads() (all []nn.ClassifierHead) {
	for _, q := range t.asked {
		all = append(all, q.head)
	}
	return all
}

// row reads a line.
func (t table) row(record []string, dir string) (labelled, error) {
	file := filepath.FromSlash(strings.TrimSpace(record[t.file]))
	if !filepath.IsLocal(file) {
		return labelled{}, fmt.Errorf("file is %s, want a path below the folder of pictures", quote.Text(record[t.file]))
	}
	one := labelled{path: filepath.Join(dir, file)}
	for i, q := range t.asked {
		class, cell := unknown, strings.TrimSpace(record[t.columns[i]])
		if cell != "" {
			var err error
			if class, err = q.class(cell); err != nil {
				return one, err
			}
		}
		one.classes = append(one.classes, float32(class))
	}
	return one, nil
}

// check returns an error for a column of which nothing can be learned.
func (t table) check(path string, all []labelled) error {
	if len(all) < 2 {
		return &LabelError{Path: path, Reason: fmt.Sprintf("labels %s, want at least 2", plural.Of(len(all), "picture"))}
	}
	for i, q := range t.asked {
		if classes(all, i) < 2 {
			return &LabelError{Path: path, Reason: fmt.Sprintf("says the same of all pictures about %s, of which nothing can be learned: want at least two classes, or no such column", q.head.Name)}
		}
	}
	return nil
}

// classes counts the classes of pictures by a head, of those that have one.
func classes(all []labelled, head int) int {
	seen := map[float32]bool{}
	for _, l := range all {
		if l.classes[head] != unknown {
			seen[l.classes[head]] = true
		}
	}
	return len(seen)
}
