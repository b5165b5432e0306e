package queue

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// errLost says that a job is not this server's any more.
var errLost = errors.New("jobs: another server has taken the job over")

// errCancelled says that the owner of a job does not want it any more.
var errCancelled = errors.New("jobs: cancelled by its owner")

// sign says that an attempt at a job is alive. It fails with [errLost] or [errCancelled]
// when it should not be; other errors are those of the database.
func (d *database) sign(ctx context.Context, id int64, attempt int) error {
	var cancelled bool
	err := d.QueryRowContext(ctx, d.text("UPDATE river_job SET attempted_at = "+d.now+" WHERE id = ? AND state = 'running' AND attempt = ? RETURNING "+d.cancelled), id, attempt).Scan(&cancelled)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return errLost
	case err == nil && cancelled:
		return errCancelled
	}
	return err
}

// live signs until the context ends, or ends it with a cause. Where the database cannot be
// reached the job goes on: the lock on its folder keeps others away.
func (q *Queue) live(ctx context.Context, end context.CancelCauseFunc, id int64, attempt int) {
	tick := time.NewTicker(beat)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		switch err := q.db.sign(ctx, id, attempt); {
		case errors.Is(err, errLost), errors.Is(err, errCancelled):
			end(err)
			return
		case err != nil && ctx.Err() == nil:
			q.config.Log.Warn("a job cannot say that it is alive", "job", id, "error", err.Error())
		}
	}
}

// takeOver makes jobs available again that show no sign of life, and ends those of them that
// were to be cancelled. It returns their number.
func (d *database) takeOver(ctx context.Context) (int64, error) {
	state := fmt.Sprintf(d.state, "CASE WHEN "+d.cancelled+" THEN 'cancelled' ELSE 'available' END")
	result, err := d.ExecContext(ctx, "UPDATE river_job SET state = "+state+
		", finalized_at = CASE WHEN "+d.cancelled+" THEN "+d.now+" END, scheduled_at = "+d.now+
		d.text(" WHERE state = 'running' AND queue = ? AND attempted_at < "+fmt.Sprintf(d.before, int(lost.Seconds()))), d.queue)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// known returns the folders of the jobs in the database.
func (d *database) known(ctx context.Context) (map[string]bool, error) {
	names, err := d.folders(ctx, "queue = ?", d.queue)
	all := map[string]bool{}
	for _, name := range names {
		all[name] = true
	}
	return all, err
}

// folders returns those of the jobs for which a condition holds.
func (d *database) folders(ctx context.Context, condition string, values ...any) (all []string, err error) {
	rows, err := d.QueryContext(ctx, d.text("SELECT args ->> 'folder' FROM river_job WHERE "+condition), values...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		all = append(all, name)
	}
	return all, rows.Err()
}

// isOpen is the condition of the jobs in a queue, of an owner, that have not ended.
const isOpen = "finalized_at IS NULL AND queue = ? AND args ->> 'owner' = ?"

// open counts the jobs of an owner that have not ended.
func (d *database) open(ctx context.Context, owner string) (n int64, err error) {
	err = d.QueryRowContext(ctx, d.text("SELECT count(*) FROM river_job WHERE "+isOpen), d.queue, owner).Scan(&n)
	return n, err
}

// keyed returns the id of the job of an owner with a key, and whether it is to be cancelled; "" where there is none, or none that may
// still be done.
func (d *database) keyed(ctx context.Context, owner, key string) (id string, cancelled bool, err error) {
	err = d.QueryRowContext(ctx, d.text("SELECT id, "+d.cancelled+" FROM river_job WHERE queue = ? AND args ->> 'owner' = ? AND args ->> 'key' = ? AND state NOT IN ('cancelled', 'discarded') AND unique_key IS NOT NULL ORDER BY id LIMIT 1"),
		d.queue, owner, key).Scan(&id, &cancelled)
	if errors.Is(err, sql.ErrNoRows) {
		return "", false, nil
	}
	return id, cancelled, err
}

// free takes the key of a job from it, so that another one can have it.
func (d *database) free(ctx context.Context, id int64) error {
	_, err := d.ExecContext(ctx, d.text("UPDATE river_job SET unique_key = NULL WHERE id = ?"), id)
	return err
}

// care takes jobs over and sweeps the store until the context ends.
func (q *Queue) care(ctx context.Context) {
	tick := time.NewTicker(beat)
	defer tick.Stop()
	var swept time.Time
	for {
		n, err := q.db.takeOver(ctx)
		if err == nil && n > 0 {
			q.config.Log.Info("jobs without a sign of life are taken over", "jobs", n)
		}
		if err == nil && time.Since(swept) > sweeping {
			swept = time.Now()
			err = q.sweep(ctx)
		}
		if err != nil && ctx.Err() == nil {
			q.config.Log.Warn("the queue of jobs", "error", err.Error())
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// sweep removes the folders of jobs that have been forgotten.
func (q *Queue) sweep(ctx context.Context) error {
	known, err := q.db.known(ctx)
	if err != nil {
		return err
	}
	return q.config.Store.Sweep(known, sweeping)
}
