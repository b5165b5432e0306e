package queue

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/riverqueue/river/rivertype"
	_ "modernc.org/sqlite" // registers the driver
)

// client is what is needed of a client of River, whatever its database.
type client interface {
	Start(ctx context.Context) error
	StopAndCancel(ctx context.Context) error
	Insert(ctx context.Context, args river.JobArgs, o *river.InsertOpts) (*rivertype.JobInsertResult, error)
	JobGet(ctx context.Context, id int64) (*rivertype.JobRow, error)
	JobList(ctx context.Context, p *river.JobListParams) (*river.JobListResult, error)
	JobCancel(ctx context.Context, id int64) (*rivertype.JobRow, error)
}

// dialect is what databases say differently.
type dialect struct {
	placeholder func(n int) string
	now         string // the time
	before      string // the time so many seconds ago, %d
	cancelled   string // whether a job is to be cancelled
	state       string // of a text, %s
}

var postgres = dialect{
	placeholder: func(n int) string { return fmt.Sprintf("$%d", n) },
	now:         "now()", before: "now() - interval '%d seconds'", cancelled: "metadata ->> 'cancel_attempted_at' IS NOT NULL", state: "CAST(%s AS river_job_state)",
}

var sqlite = dialect{
	placeholder: func(int) string { return "?" },
	now:         "datetime('now', 'subsec')", before: "datetime('now', 'subsec', '-%d seconds')", cancelled: "metadata ->> 'cancel_attempted_at' IS NOT NULL", state: "%s",
}

// database is an open database with the tables of River.
type database struct {
	*sql.DB
	dialect
	queue   string // in which the jobs of the store are
	connect func(*river.Config) (client, error)
	close   func()
}

// openDatabase opens the database of a queue and brings its tables up to date.
func openDatabase(ctx context.Context, c Config) (*database, error) {
	if c.Database != "" {
		return openPostgres(ctx, c.Database)
	}
	path := "file:" + filepath.ToSlash(filepath.Join(c.Store.Dir(), "jobs.db")) + "?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_txlock=immediate"
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // it writes one thing at a time
	d := &database{DB: db, dialect: sqlite, close: func() { _ = db.Close() }}
	driver := riversqlite.New(db)
	d.connect = func(rc *river.Config) (client, error) { return river.NewClient(driver, rc) }
	return d, d.prepared(migrate(ctx, driver))
}

// openPostgres opens a PostgreSQL database.
func openPostgres(ctx context.Context, address string) (*database, error) {
	pool, err := pgxpool.New(ctx, address)
	if err != nil {
		return nil, fmt.Errorf("jobs: the address of the database: %w", err)
	}
	db := stdlib.OpenDBFromPool(pool)
	d := &database{DB: db, dialect: postgres, close: func() { _ = db.Close(); pool.Close() }}
	driver := riverpgxv5.New(pool)
	d.connect = func(rc *river.Config) (client, error) { return river.NewClient(driver, rc) }
	return d, d.prepared(alone(ctx, db, func() error { return migrate(ctx, driver) }))
}

// prepared closes a database that could not be prepared.
func (d *database) prepared(err error) error {
	if err != nil {
		d.close()
		return fmt.Errorf("jobs: the database: %w", err)
	}
	return nil
}

// migration is the number of the lock under which one server at a time changes tables.
const migration = 0x706364

// alone runs a function while no other server does.
func alone(ctx context.Context, db *sql.DB, do func() error) (err error) {
	c, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	if _, err := c.ExecContext(ctx, "SELECT pg_advisory_lock($1)", migration); err != nil {
		return err
	}
	defer func() {
		_, unlockErr := c.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", migration)
		err = errors.Join(err, unlockErr)
	}()
	return do()
}

// migrate brings the tables of River up to date.
func migrate[T any](ctx context.Context, driver riverdriver.Driver[T]) error {
	m, err := rivermigrate.New(driver, nil)
	if err != nil {
		return err
	}
	_, err = m.Migrate(ctx, rivermigrate.DirectionUp, nil)
	return err
}

// text writes a statement in the dialect: every ? is a placeholder.
func (d dialect) text(statement string) string {
	var b strings.Builder
	for n, part := range strings.Split(statement, "?") {
		if n > 0 {
			b.WriteString(d.placeholder(n))
		}
		b.WriteString(part)
	}
	return b.String()
}
