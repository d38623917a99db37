-- Written by `npm run schema -- baseline` from the steps of the schema: the next run replaces it.

-- # tables
create table declarations (
  service text not null,
  digest text not null,
  body json not null,
  seen_at timestamp with time zone default statement_timestamp() not null
);

-- # keys and indexes
alter table declarations add constraint declarations_pkey PRIMARY KEY (service);

-- # grants
grant insert, select, update on declarations to :application;
