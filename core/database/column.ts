/** Who fills a column: an insert must give it, or may; the platform does (`organisation_id`); or PostgreSQL alone keeps it. */
export type Source = "given" | "optional" | "platform" | "database";

interface Facts {
  /** As PostgreSQL names it: `text`, `numeric(6,2)`, `timestamp with time zone`. */
  type: string;
  nullable: boolean;
  source: Source;
  /** True where the trail records what a change of a row made of it. */
  tracked: boolean;
  /** True where a blank text is stored as null. */
  blankIsNull: boolean;
  /** True for what no answer and no console ever shows: sealed secrets and hashes of secrets. */
  secret: boolean;
}

/**
 * One column of a model: what a stored row holds there (`Held`), what a write may give (`Given`) and who fills it. Columns do not change;
 * every method gives another one.
 */
export class Column<Held = unknown, From extends Source = Source, Given = Held> {
  declare readonly held: Held;
  declare readonly given: Given;
  declare readonly from: From;
  readonly facts: Readonly<Facts>;

  constructor(facts: Readonly<Facts>) {
    this.facts = facts;
  }

  /** It may be null, and is where an insert leaves it out. */
  orNull(): Column<Held | null, "optional", Given | null> {
    return new Column({ ...this.facts, nullable: true, source: "optional" });
  }

  /** PostgreSQL has a default for it, so that an insert may leave it out. */
  withDefault(): Column<Held, "optional", Given> {
    return new Column({ ...this.facts, source: "optional" });
  }

  /** Filled in by `insert`. */
  byPlatform(): Column<Held, "platform", Given> {
    return new Column({ ...this.facts, source: "platform" });
  }

  /** Generated, or kept by a trigger: conditions and indexes use it, no row shows it and no write gives it. */
  byDatabase(): Column<Held, "database", Given> {
    return new Column({ ...this.facts, source: "database" });
  }

  /** The trail records its changes. */
  tracked(): Column<Held, From, Given> {
    return new Column({ ...this.facts, tracked: true });
  }

  /** A blank text is stored as null. */
  blankIsNull(): Column<Held, From, Given> {
    return new Column({ ...this.facts, blankIsNull: true });
  }
}

function plain<Held, Given = Held>(type: string, facts: Partial<Facts> = {}): Column<Held, "given", Given> {
  return new Column({ type, nullable: false, source: "given", tracked: false, blankIsNull: false, secret: false, ...facts });
}

/** The types of columns. */
export const column = {
  uuid: () => plain<string>("uuid"),
  text: <T extends string = string>() => plain<T>("text"),
  texts: () => plain<string[], readonly string[]>("text[]"),
  uuids: () => plain<string[], readonly string[]>("uuid[]"),
  integer: () => plain<number>("integer"),
  integers: () => plain<number[], readonly number[]>("integer[]"),
  /** A place between two others, never a quantity: it is not exact. */
  real: () => plain<number>("double precision"),
  /** Text in rows: it may be larger than a number is exact. */
  bigint: () => plain<string, string | number>("bigint"),
  boolean: () => plain<boolean>("boolean"),
  /** Exact; text in rows, so that nothing is rounded. */
  decimal: (precision?: number, scale = 0) =>
    plain<string, string | number>(precision === undefined ? "numeric" : `numeric(${precision},${scale})`),
  json: <T = Record<string, unknown>>() => plain<T>("jsonb"),
  /** `YYYY-MM-DD`. */
  date: () => plain<string>("date"),
  /** `HH:MM` on the wall, without a zone. */
  time: () => plain<string>("wall_time"),
  /** ISO 8601. */
  instant: () => plain<string>("timestamp with time zone"),
  /**
   * A secret that must be read back (conventions §16). `insert` and `update` seal it on the way in, and `unsealed` of
   * core/database/sealed.ts reads it.
   */
  sealed: () => plain<string>("sealed", { secret: true }),
  /** The hash of a secret that only its bearer has. */
  hashed: () => plain<Buffer>("bytea", { secret: true }),
};

export type Columns = Readonly<Record<string, Column>>;

type NamesFrom<C extends Columns, From extends Source> = {
  [Name in keyof C]: C[Name]["from"] extends From ? Name : never;
}[keyof C];

/** A stored row of a model with these columns. */
export type HeldBy<C extends Columns> = { readonly [Name in NamesFrom<C, "given" | "optional" | "platform">]: C[Name]["held"] };

/** What an insert takes. */
export type InsertedInto<C extends Columns> = { [Name in NamesFrom<C, "given">]: C[Name]["given"] } & {
  [Name in NamesFrom<C, "optional">]?: C[Name]["given"] | undefined;
};

/** What an update takes; undefined is "not sent". */
export type ChangedIn<C extends Columns> = {
  [Name in NamesFrom<C, "given" | "optional">]?: C[Name]["given"] | undefined;
};
