/** A row as returned, by each resource's camel-case name. */
export type AdsRow = Record<string, Record<string, unknown>>;

/** Measurements of one day, at the finest stored grain. */
export interface Fact {
  /** The measured resource, such as `campaign` or `keyword_view`. */
  resource: string;
  /** Resource name of the object, such as `customers/1/campaigns/2`. */
  of: string;
  /** Such as `{date: "2026-08-01", device: "MOBILE"}`. */
  segments: Record<string, string>;
  metrics: Record<string, number | bigint>;
}

export interface CustomerValues {
  id?: string;
  descriptiveName?: string;
  currencyCode?: string;
  timeZone?: string;
  manager?: boolean;
  testAccount?: boolean;
  status?: string;
  optimizationScore?: number;
  conversionTrackingStatus?: string;
}

/** One account, with its objects by resource and resource name, and its measurements. */
export class SimulatedCustomer {
  readonly id: string;
  readonly values: Required<Omit<CustomerValues, "id" | "optimizationScore">> & { optimizationScore?: number };
  /** Accounts below it, if it is a manager. */
  readonly children: SimulatedCustomer[] = [];
  /** Stored objects by resource (`campaign`), then resource name. Mutations change these. */
  readonly objects = new Map<string, Map<string, Record<string, unknown>>>();
  readonly facts: Fact[] = [];

  constructor(id: string, values: CustomerValues) {
    this.id = id;
    this.values = {
      descriptiveName: `Account ${id}`,
      currencyCode: "EUR",
      timeZone: "Europe/Amsterdam",
      manager: false,
      testAccount: false,
      status: "ENABLED",
      conversionTrackingStatus: "CONVERSION_TRACKING_MANAGED_BY_SELF",
      ...values,
    };
  }

  get resourceName(): string {
    return `customers/${this.id}`;
  }

  /** Stores an object. @param name of the collection and id, such as `campaigns/2` @returns its resource name */
  put(resource: string, name: string, values: Record<string, unknown>): string {
    const resourceName = `${this.resourceName}/${name}`;
    const all = this.objects.get(resource) ?? new Map<string, Record<string, unknown>>();
    this.objects.set(resource, all.set(resourceName, { resourceName, ...values }));
    return resourceName;
  }

  object(resource: string, resourceName: string): Record<string, unknown> | undefined {
    return this.objects.get(resource)?.get(resourceName);
  }

  /** Stores measurements. The account's own figures are the sums of its campaigns'. */
  measured(resource: string, of: string, segments: Record<string, string>, metrics: Fact["metrics"]): void {
    this.facts.push({ resource, of, segments, metrics });
  }

  /** The row of `FROM customer`. */
  get row(): Record<string, unknown> {
    const { conversionTrackingStatus, ...values } = this.values;
    return { resourceName: this.resourceName, id: this.id, ...values, conversionTrackingSetting: { conversionTrackingStatus } };
  }

  /** Whether an account is this one or below it. */
  reaches(customer: SimulatedCustomer): boolean {
    return this === customer || this.children.some((child) => child.reaches(customer));
  }
}

/** Accounts, and the people who can reach them. */
export class AdsState {
  readonly customers = new Map<string, SimulatedCustomer>();
  /** Developer tokens that the provider accepts. */
  readonly developerTokens = new Set<string>();
  readonly #grants = new Map<string, Set<SimulatedCustomer>>();
  #next = 1_000_000_001n;

  clear(): void {
    this.customers.clear();
    this.developerTokens.clear();
    this.#grants.clear();
    this.#next = 1_000_000_001n;
  }

  /** Creates an account; `within` puts it below a manager. */
  customer(values: CustomerValues = {}, within?: SimulatedCustomer): SimulatedCustomer {
    const id = values.id ?? String(this.#next++);
    const made = new SimulatedCustomer(id, values);
    this.customers.set(id, made);
    within?.children.push(made);
    return made;
  }

  /** Lets a person reach accounts directly. */
  let(subject: string, ...customers: SimulatedCustomer[]): void {
    this.#grants.set(subject, new Set([...(this.#grants.get(subject) ?? []), ...customers]));
  }

  accessible(subject: string): SimulatedCustomer[] {
    return [...(this.#grants.get(subject) ?? [])];
  }
}
