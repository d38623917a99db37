import { type Step, tenantTable } from "../step.ts";

/** A wall-clock time as leave keeps it: `HH:MM`, seconds dropped (people §1). */
const TIME = "check (value ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$')";

/**
 * Types, settings, people's profiles and contracts, holidays, pots, requests, recurring patterns, availability and calendar links.
 *
 * `user_id` deliberately references no account: a person's entitlements and leave survive the account (access §3, §4.6). Writes check the
 * membership under the person's lock (services/people/person-lock.ts), which also prevents two contracts or two requests of one person from
 * sharing a day.
 */
const step: Step = {
  async up({ sql, application }) {
    await sql(`
      create domain wall_time as text ${TIME};

      create table leave_types (
        id uuid primary key,
        organisation_id uuid not null references organisations (id),
        key text collate "C" not null check (key ~ '^[a-z0-9_]{1,50}$'),
        label_i18n jsonb not null default '{}',
        color text not null default 'emerald',
        paid boolean not null default true,
        tracks_balance boolean not null default false,
        requires_approval boolean not null default true,
        accrues_schedule_gap boolean not null default false,
        calendar_display text not null default 'all_day' check (calendar_display in ('all_day', 'timed')),
        position int not null default 0,
        active boolean not null default true,
        default_weeks numeric check (default_weeks between 0 and 52),
        carry_over_months int check (carry_over_months between 0 and 120),
        balance_group text check (balance_group ~ '^[a-z0-9_]{1,50}$'),
        version int not null default 1,
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        unique (organisation_id, id),
        constraint leave_types_key_key unique (organisation_id, key)
      );

      -- That an organisation once had types: those it starts with come once, and never to one that made its own first (people §3).
      create table leave_types_seeded (
        organisation_id uuid primary key references organisations (id),
        created_at timestamptz not null default statement_timestamp()
      );

      create table leave_settings (
        id uuid primary key,
        organisation_id uuid not null references organisations (id),
        default_schedule jsonb,
        holiday_country text,
        holiday_auto_import boolean not null default true,
        self_approval boolean not null default false,
        recurring_horizon_months int not null default 12 check (recurring_horizon_months between 1 and 24),
        default_hourly_rate numeric(8, 2) check (default_hourly_rate between 0 and 100000),
        version int not null default 1,
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        unique (organisation_id, id),
        constraint leave_settings_one unique (organisation_id)
      );

      create table leave_profiles (
        id uuid primary key,
        organisation_id uuid not null references organisations (id),
        user_id uuid not null,
        schedule jsonb,
        hours_per_week numeric(5, 2) check (hours_per_week >= 0),
        hourly_rate numeric(8, 2) check (hourly_rate between 0 and 100000),
        version int not null default 1,
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        unique (organisation_id, id),
        constraint leave_profiles_one unique (organisation_id, user_id)
      );

      create table leave_contracts (
        id uuid primary key,
        organisation_id uuid not null references organisations (id),
        user_id uuid not null,
        start_date date not null,
        end_date date check (end_date >= start_date),
        employment_type text not null default 'employee' check (employment_type in ('employee', 'freelance')),
        contract_hours_per_week numeric(5, 2) check (contract_hours_per_week > 0 and contract_hours_per_week <= 80),
        schedule jsonb,
        free_time_hours_per_week numeric(5, 2) check (free_time_hours_per_week between 0 and 80),
        note text,
        version int not null default 1,
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        unique (organisation_id, id),
        check (employment_type = 'freelance' or contract_hours_per_week is not null)
      );
      create index leave_contracts_of_person on leave_contracts (organisation_id, user_id, start_date);

      -- Who has, or ever had, a contract: deleting one does not make a person never contracted (people §7, §14).
      create table leave_contracted (
        organisation_id uuid not null references organisations (id),
        user_id uuid not null,
        primary key (organisation_id, user_id)
      );
      create function remember_contracted() returns trigger language plpgsql as $$
      begin
        insert into leave_contracted (organisation_id, user_id) select organisation_id, user_id from made on conflict do nothing;
        return null;
      end $$;
      create trigger contracted after insert on leave_contracts referencing new table as made
        for each statement execute function remember_contracted();

      create table leave_holidays (
        id uuid primary key,
        organisation_id uuid not null references organisations (id),
        date date not null,
        name_i18n jsonb not null default '{}',
        active boolean not null default true,
        source text not null default 'manual',
        key text,
        version int not null default 1,
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        unique (organisation_id, id),
        constraint leave_holidays_date_key unique (organisation_id, date)
      );

      create table leave_entitlements (
        id uuid primary key,
        organisation_id uuid not null references organisations (id),
        user_id uuid not null,
        leave_type_id uuid not null,
        year int not null check (year between 2000 and 2100),
        hours numeric(6, 2) not null check (hours >= 0),
        source text not null default 'generated' check (source in ('generated', 'manual')),
        note text,
        version int not null default 1,
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        unique (organisation_id, id),
        constraint leave_entitlements_one unique (organisation_id, user_id, leave_type_id, year),
        constraint leave_entitlements_type_fkey foreign key (organisation_id, leave_type_id)
          references leave_types (organisation_id, id) on delete cascade
      );
      create index leave_entitlements_of_type on leave_entitlements (organisation_id, leave_type_id, year);
      create index leave_entitlements_of_year on leave_entitlements (organisation_id, year, user_id);

      create table leave_recurring_days (
        id uuid primary key,
        organisation_id uuid not null references organisations (id),
        user_id uuid not null,
        leave_type_id uuid not null,
        anchor_date date not null,
        interval_weeks int not null default 1 check (interval_weeks between 1 and 8),
        days_per_year int check (days_per_year between 1 and 366),
        start_time wall_time,
        end_time wall_time,
        note text,
        active boolean not null default true,
        version int not null default 1,
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        unique (organisation_id, id),
        constraint leave_recurring_days_type_fkey foreign key (organisation_id, leave_type_id)
          references leave_types (organisation_id, id) on delete cascade
      );
      create index leave_recurring_days_of_person on leave_recurring_days (organisation_id, user_id, anchor_date);
      create index leave_recurring_days_of_type on leave_recurring_days (organisation_id, leave_type_id);

      create table leave_requests (
        id uuid primary key,
        organisation_id uuid not null references organisations (id),
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        version int not null default 1,
        user_id uuid not null,
        leave_type_id uuid not null,
        status text not null default 'pending' check (status in ('pending', 'approved', 'rejected', 'cancelled')),
        start_date date not null,
        end_date date not null check (end_date >= start_date),
        start_time wall_time,
        end_time wall_time,
        -- The display window, frozen when the span is written (people §6).
        resolved_start_time wall_time,
        resolved_end_time wall_time,
        hours numeric(6, 2) not null check (hours >= 0),
        hours_override numeric(6, 2) check (hours_override > 0),
        hours_override_by_user_id uuid,
        note text,
        decided_by_user_id uuid,
        decided_at timestamptz,
        decision_note text,
        resubmitted_at timestamptz,
        recurring_day_id uuid,
        -- The date of the pattern this day came from: spent for good, wherever the day has moved since (people §9).
        recurring_date date,
        unique (organisation_id, id),
        constraint leave_requests_type_fkey foreign key (organisation_id, leave_type_id) references leave_types (organisation_id, id),
        constraint leave_requests_recurring_fkey foreign key (organisation_id, recurring_day_id)
          references leave_recurring_days (organisation_id, id) on delete set null (recurring_day_id)
      );
      create index leave_requests_of_person on leave_requests (organisation_id, user_id, start_date, id);
      create index leave_requests_of_type on leave_requests (organisation_id, leave_type_id);
      create index leave_requests_of_pattern on leave_requests (organisation_id, recurring_day_id, recurring_date)
        where recurring_day_id is not null;
      create index leave_requests_by_start on leave_requests (organisation_id, start_date, id);
      create index leave_requests_by_change on leave_requests (organisation_id, updated_at, start_date, id);
      create index leave_requests_by_creation on leave_requests (organisation_id, created_at, start_date, id);
      create index leave_requests_by_end on leave_requests (organisation_id, end_date, start_date, id);
      create index leave_requests_by_hours on leave_requests (organisation_id, hours, start_date, id);
      create index leave_requests_by_hours_down on leave_requests (organisation_id, hours desc, start_date, id);
      create index leave_requests_by_status on leave_requests (organisation_id, status, start_date, id);
      create index leave_requests_by_status_down on leave_requests (organisation_id, status desc, start_date, id);

      create table leave_availability (
        id uuid primary key,
        organisation_id uuid not null references organisations (id),
        user_id uuid not null,
        kind text not null check (kind in ('extra', 'unavailable')),
        date date not null,
        start_time wall_time,
        end_time wall_time,
        repeat_weeks int check (repeat_weeks between 1 and 8),
        repeat_until date check (repeat_until >= date),
        note text,
        -- Both halves of a move.
        pair_id uuid,
        version int not null default 1,
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        unique (organisation_id, id),
        check (repeat_until is null or repeat_weeks is not null)
      );
      create index leave_availability_of_person on leave_availability (organisation_id, user_id, date);
      create index leave_availability_by_date on leave_availability (organisation_id, date);
      create index leave_availability_pairs on leave_availability (organisation_id, pair_id) where pair_id is not null;

      create table leave_calendar_tokens (
        id uuid primary key,
        organisation_id uuid not null references organisations (id),
        membership_id uuid not null,
        token_hash bytea not null,
        version int not null default 1,
        created_at timestamptz not null default statement_timestamp(),
        updated_at timestamptz not null default statement_timestamp(),
        unique (organisation_id, id),
        unique (organisation_id, membership_id),
        unique (organisation_id, token_hash),
        foreign key (organisation_id, membership_id) references memberships (organisation_id, id) on delete cascade
      );
    `);
    for (const table of [
      "leave_types",
      "leave_types_seeded",
      "leave_settings",
      "leave_profiles",
      "leave_contracts",
      "leave_contracted",
      "leave_holidays",
      "leave_entitlements",
      "leave_recurring_days",
      "leave_requests",
      "leave_availability",
      "leave_calendar_tokens",
    ])
      await sql(tenantTable(table, application));
  },
};

export default step;
