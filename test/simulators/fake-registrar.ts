import {
  type Delegation,
  type RegistrarAccess,
  RegistrarFailure,
  type RegistrarProvider,
  type Registration,
  type RegistrationDetail,
  type SplitName,
} from "../../integrations/registrar/provider.ts";

/** A domain in the made-up register: expiry in days since 1970, its own state names, its own name servers. */
interface Entry {
  until: number;
  state: "live" | "locked";
  hosts: string[];
  signed: boolean;
  holder: string;
}

const DAY = 86_400_000;

/**
 * A registrar that differs from OXXA, in one file: no groups, so every domain has its own name servers; one spendable amount, in cents; no
 * renewal, no contacts. It stores its register in memory, so a test needs no server.
 */
export class LedgerRegistrar implements RegistrarProvider {
  readonly key: string;
  readonly entries = new Map<string, Entry>();
  /** Whether every requested domain exists. */
  holdsEverything = false;
  cents = 12_345;
  calls = 0;

  constructor(key = "ledger") {
    this.key = key;
  }

  /** Adds a domain. */
  hold(name: string, entry: Partial<Entry> = {}): void {
    const standard = {
      until: Date.UTC(2027, 2, 1) / DAY,
      state: "live" as const,
      hosts: ["a.ledger.example", "b.ledger.example"],
    };
    this.entries.set(name, { ...standard, signed: false, holder: "A holder", ...entry });
  }

  async verify(access: RegistrarAccess): Promise<{ funds: string; tlds: string[] }> {
    this.#admit(access);
    return { funds: (this.cents / 100).toFixed(2), tlds: ["nl", "example", "test"] };
  }

  async list(access: RegistrarAccess): Promise<Registration[]> {
    this.#admit(access);
    return [...this.entries].map(([name, entry]) => reported(name, entry));
  }

  async find(access: RegistrarAccess, { sld, tld }: SplitName): Promise<RegistrationDetail | null> {
    this.#admit(access);
    const name = `${sld}.${tld}`;
    if (this.holdsEverything && !this.entries.has(name)) this.hold(name);
    const entry = this.entries.get(name);
    return entry ? { ...reported(name, entry), dnssec: entry.signed, registrant: entry.holder } : null;
  }

  async delegate(access: RegistrarAccess, split: SplitName, hosts: readonly string[]): Promise<Delegation | null> {
    if (!(await this.find(access, split))) return null;
    const entry = this.entries.get(`${split.sld}.${split.tld}`) as Entry;
    const changed = entry.hosts.join() !== hosts.join();
    entry.hosts = [...hosts];
    return { changed, nameserverGroup: null };
  }

  #admit({ password }: RegistrarAccess): void {
    this.calls += 1;
    if (password.includes("wrong")) throw new RegistrarFailure("rejected", "who are you?");
  }
}

const reported = (name: string, { until, state, hosts }: Entry): Registration => ({
  name,
  expiresOn: new Date(until * DAY).toISOString().slice(0, 10),
  transferLock: state === "locked",
  autorenew: null,
  status: state,
  nameserverGroup: null,
  nameservers: hosts,
  contacts: null,
});
