/** The columns of a table of accounts that are synced (mixins/account-sync/account-sync.ts), as step 0024 makes them. */
export const ACCOUNT_SYNC = `
      -- Syncs are numbered per account: the last that was asked for, and the last that has ended.
      sync_asked int not null default 0,
      sync_ended int not null default 0 check (sync_ended <= sync_asked),
      sync_asked_at timestamptz,
      sync_asked_by jsonb,
      sync_result jsonb`;
