import { randomBytes } from "node:crypto";
import { domainToUnicode } from "node:url";
import type { RecordResponse } from "cloudflare/resources/dns/records";
import type { DomainListResponse } from "cloudflare/resources/pages/projects/domains";
import type { Domain } from "cloudflare/resources/registrar/domains";
import type { Zone } from "cloudflare/resources/zones/zones";
import { reported } from "./documented.ts";

/** A timestamp that no test checks. */
export const NO_ONE_KNOWS = "2026-01-01T00:00:00Z";

/** An id in the provider's format: 32 hexadecimal digits. */
export const newEdgeId = (): string => randomBytes(16).toString("hex");

export interface SimulatedAccount {
  id: string;
  name: string;
}

export interface SimulatedZone {
  id: string;
  account: string;
  name: string;
  status: NonNullable<Zone["status"]>;
  paused: boolean;
  plan: string;
  name_servers: string[];
  original_name_servers: string[];
}

export interface SimulatedRecord {
  id: string;
  zone: string;
  type: RecordResponse["type"];
  name: string;
  content: string;
  ttl: number;
  proxied: boolean;
  priority?: number;
  comment: string | null;
  /** Fields of a record whose content is derived from them. */
  data?: Readonly<Record<string, string | number>>;
}

export type HostnameStatus = DomainListResponse["status"];

export interface SimulatedProject {
  id: string;
  account: string;
  name: string;
  subdomain: string;
  production_branch: string;
  /** Hostnames with their status; with `hidesDomains` the list of projects omits them. */
  hostnames: Map<string, HostnameStatus>;
  hidesDomains: boolean;
}

/** Fields that the client's type lacks: the name in the list, and what can be set. */
interface ListedDomain extends Domain {
  name?: string;
  auto_renew?: boolean;
}

export interface SimulatedRegistration {
  account: string;
  /** The fields the provider lists. */
  fields: Record<string, unknown>;
  /** Set if a test lists it differently from the description. */
  deviates: boolean;
}

/** The complete state of the simulated provider. */
export class EdgeState {
  readonly accounts: SimulatedAccount[] = [];
  readonly zones: SimulatedZone[] = [];
  readonly records: SimulatedRecord[] = [];
  readonly projects: SimulatedProject[] = [];
  readonly registrations: SimulatedRegistration[] = [];

  clear(): void {
    for (const kept of [this.accounts, this.zones, this.records, this.projects, this.registrations]) kept.length = 0;
  }

  account(name = "An account"): SimulatedAccount {
    const made = { id: newEdgeId(), name };
    this.accounts.push(made);
    return made;
  }

  zone(account: string, name: string, values: Partial<SimulatedZone> = {}): SimulatedZone {
    const made: SimulatedZone = {
      id: newEdgeId(),
      account,
      name,
      status: "active",
      paused: false,
      plan: "Free Website",
      name_servers: ["ada.ns.edge.example", "bob.ns.edge.example"],
      original_name_servers: ["NS1.Old.Example"],
      ...values,
    };
    this.zones.push(made);
    return made;
  }

  record(zone: string, values: Pick<SimulatedRecord, "type" | "name" | "content"> & Partial<SimulatedRecord>): SimulatedRecord {
    const made: SimulatedRecord = { id: newEdgeId(), zone, ttl: 1, proxied: false, comment: null, ...values };
    this.records.push(made);
    return made;
  }

  project(account: string, name: string, hostnames: readonly string[] = [], hidesDomains = false): SimulatedProject {
    const made: SimulatedProject = {
      id: newEdgeId(),
      account,
      name,
      subdomain: `${name}.pages.example`,
      production_branch: "main",
      hostnames: new Map(hostnames.map((hostname) => [hostname, "active" as const])),
      hidesDomains,
    };
    this.projects.push(made);
    return made;
  }

  registration(account: string, name: string, fields: Record<string, unknown> = {}): SimulatedRegistration {
    const made = {
      account,
      deviates: Object.keys(fields).length > 0,
      fields: {
        ...reported<ListedDomain>()({
          name: domainToUnicode(name) || name,
          current_registrar: "Cloudflare",
          expires_at: "2027-03-01T00:00:00Z",
          auto_renew: true,
          locked: true,
          registry_statuses: "ok,serverTransferProhibited",
        }),
        ...fields,
      },
    };
    this.registrations.push(made);
    return made;
  }
}
