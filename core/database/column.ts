/** Who fills a column: an insert must or may supply it, `insert` fills it (`organisation_id`), or PostgreSQL maintains it alone. */
export type Source = "given" | "optional" | "platform" | "database";

interface Facts {
  /** The PostgreSQL type name: `text`, `numeric(6,2)`, `timestamp with time zone`. */
  type: string;
  nullable: boolean;
  source: Source;
  /** True when the trail records changes of this column. */
  tracked: boolean;
  /** True when a blank text is stored as null. */
  blankIsNull: boolean;
  /** True for sealed secrets and hashes of secrets: no response and no console ever shows them. */
  secret: boolean;
}

/**
 * One column of a model: the type of its stored value (`Held`), the type a write supplies (`Given`) and who fills it. Columns are
 * immutable; every method returns a new one.
 */
export class Column<Held = unknown, From extends Source = Source, Given = Held> {
  declare readonly held: Held;
  declare readonly given: Given;
  declare readonly from: From;
  readonly facts: Readonly<Facts>;

  constructor(facts: Readonly<Facts>) {
    this.facts = facts;
  }

  /** Allows null, which is what an insert stores when it omits the column. */
  orNull(): Column<Held | null, "optional", Given | null> {
    return new Column({ ...this.facts, nullable: true, source: "optional" });
  }

  /** PostgreSQL has a default, so an insert may omit the column. */
  withDefault(): Column<Held, "optional", Given> {
    return new Column({ ...this.facts, source: "optional" });
  }

  /** `insert` fills the column. */
  byPlatform(): Column<Held, "platform", Given> {
    return new Column({ ...this.facts, source: "platform" });
  }

  /** Generated, or maintained by a trigger: conditions and indexes use the column, but no row shows it and only SQL sets it. */
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

/** The column types. */
export const column = {
  uuid: () => plain<string>("uuid"),
  text: <T extends string = string>() => plain<T>("text"),
  texts: () => plain<string[], readonly string[]>("text[]"),
  uuids: () => plain<string[], readonly string[]>("uuid[]"),
  instants: () => plain<string[], readonly string[]>("timestamp with time zone[]"),
  integer: () => plain<number>("integer"),
  integers: () => plain<number[], readonly number[]>("integer[]"),
  /** A sort position between two others, never a quantity: it is not exact. */
  real: () => plain<number>("double precision"),
  /** Text in rows: the value may exceed the range in which a number is exact. */
  bigint: () => plain<string, string | number>("bigint"),
  boolean: () => plain<boolean>("boolean"),
  /** Exact; text in rows, so nothing is rounded. */
  decimal: (precision?: number, scale = 0) =>
    plain<string, string | number>(precision === undefined ? "numeric" : `numeric(${precision},${scale})`),
  json: <T = Record<string, unknown>>() => plain<T>("jsonb"),
  /** `YYYY-MM-DD`. */
  date: () => plain<string>("date"),
  /** A set of days as PostgreSQL writes it, each range without its last bound: `{[2026-01-01,2026-02-01)}`. */
  days: () => plain<string>("datemultirange"),
  /** `HH:MM` local time, without a zone. */
  time: () => plain<string>("wall_time"),
  /** ISO 8601. */
  instant: () => plain<string>("timestamp with time zone"),
  /** A secret that must be readable again (conventions §16). `insert` and `update` seal it; `unsealed` (sealed.ts) opens it. */
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

/** The values of an insert. */
export type InsertedInto<C extends Columns> = { [Name in NamesFrom<C, "given">]: C[Name]["given"] } & {
  [Name in NamesFrom<C, "optional">]?: C[Name]["given"] | undefined;
};

/** The values of an update; undefined means "not sent". */
export type ChangedIn<C extends Columns> = {
  [Name in NamesFrom<C, "given" | "optional">]?: C[Name]["given"] | undefined;
};
