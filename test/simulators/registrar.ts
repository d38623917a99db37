import { randomBytes } from "node:crypto";
import { Misunderstood, type Received, type Reply, Simulator } from "./simulator.ts";

/** A domain as the registrar stores it. */
export interface SimulatedDomain {
  name: string;
  nsgroup: string;
  /** `YYYY-MM-DD`. */
  expires: string;
  lock?: boolean;
  autorenew?: boolean;
  dnssec?: boolean;
  status?: string;
  registrant?: string;
}

interface Group {
  handle: string;
  alias: string;
  hosts: string[];
}

/** A command as received, without the credential. */
export interface Asked {
  command: string;
  [parameter: string]: string;
}

type Answer = { code: string; description: string; details?: string };

const READS: Record<string, readonly string[]> = {
  funds_get: [],
  user_tld_list: [],
  domain_list: ["records"],
  nsgroup_get: ["nsgroup"],
  domain_inf: ["sld", "tld"],
  identity_get: ["identity"],
  nsgroup_list: ["alias", "records"],
};
/** Full of characters that URLs, XML and Latin-1 encode differently. */
const newPassword = (): string => `pa&ss=${randomBytes(9).toString("hex")} +é`;
const escaped = (text: string): string => text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
const flag = (value: boolean | undefined): string => (value === undefined ? "" : value ? "Y" : "N");
const element = (name: string, text: string): string => `<${name}>${escaped(text)}</${name}>`;
const european = (date: string): string => `${date.split("-").toReversed().join("-")} (dd-mm-yyyy)`;

/**
 * OXXA's command interface, as far as this service calls it, by its documentation (version 1.99): every request is a GET with the
 * credential among its parameters, every response is XML in ISO-8859-1 with HTTP 200, including refusals. Domains share groups of name
 * servers, so changing a group fails the test.
 */
export class OxxaSimulator extends Simulator {
  readonly domains = new Map<string, SimulatedDomain>();
  readonly groups = new Map<string, Group>();
  readonly identities = new Map<string, { company?: string; first?: string; last?: string }>();
  /** Executed commands, without the credential. */
  readonly asked: Asked[] = [];
  password = newPassword();
  user = "agency";
  funds = "1.234,56";
  tlds = ["nl", "com", "co.uk", "uk"];
  /** Response to a wrong credential, and its HTTP status. */
  wrongCredential = { status: 200, text: "Inloggen mislukt: gebruikersnaam of wachtwoord onjuist" };
  /** Commands to reject, by name, with this description. */
  readonly refused = new Map<string, string>();
  /** Number of domains a list omits but counts. */
  leavesOut = 0;
  #handles = 0;

  /** Value of `SERVICE_REGISTRAR_API_URL`. */
  get root(): string {
    return this.origin;
  }

  override reset(): void {
    super.reset();
    for (const kept of [this.domains, this.groups, this.identities, this.refused]) kept.clear();
    this.asked.length = 0;
    this.password = newPassword();
    this.leavesOut = 0;
    this.funds = "1.234,56";
    this.wrongCredential = { status: 200, text: "Inloggen mislukt: gebruikersnaam of wachtwoord onjuist" };
  }

  /** Adds a group of name servers; returns its handle. */
  group(hosts: string[], alias = `group ${this.#handles}`): string {
    const handle = `EFGH${++this.#handles}`;
    this.groups.set(handle, { handle, alias, hosts });
    return handle;
  }

  register(domain: SimulatedDomain): void {
    this.domains.set(domain.name, domain);
  }

  /** Number of executions of a command. */
  calls(command: string): number {
    return this.asked.filter((one) => one.command === command).length;
  }

  protected answer({ method, path, query, headers, body }: Received): Reply {
    if (method !== "GET" || path !== "/command.php" || body !== "") throw new Misunderstood("no such operation");
    for (const name of ["authorization", "cookie", "x-api-key"])
      if (headers[name] !== undefined) throw new Misunderstood(`'${name}' has no business here`);
    const given: Record<string, string> = {};
    for (const [name, value] of query) {
      if (given[name] !== undefined) throw new Misunderstood(`'${name}' is repeated`);
      given[name] = value;
    }
    const { apiuser, apipassword, command = "", ...parameters } = given;
    if (apiuser === undefined || apipassword === undefined) throw new Misunderstood("the credential is missing");
    if (apiuser !== this.user || apipassword !== this.password) {
      const { status, text } = this.wrongCredential;
      const reported = `${text} (apiuser=${apiuser}&apipassword=${apipassword})`;
      return xml({ code: "XMLERR 1", description: reported }, command, status);
    }
    this.#require(command, parameters);
    this.asked.push({ command, ...parameters });
    const refusal = this.refused.get(command);
    if (refusal !== undefined) return xml({ code: "XMLERR 99", description: refusal }, command);
    return xml(this.#carryOut(command, parameters), command);
  }

  /** @throws Misunderstood for a command or parameter that is not documented */
  #require(command: string, parameters: Record<string, string>): void {
    if (command === "nsgroup_upd") throw new Misunderstood("nsgroup_upd moves every domain of the group");
    const names = Object.keys(parameters);
    const allowed =
      READS[command] ??
      (command === "domain_ns_upd" ? ["sld", "tld", "nsgroup"] : undefined) ??
      (command === "nsgroup_add" ? ["alias", ...names.filter((name) => /^ns[1-6]_fqdn$/.test(name))] : undefined);
    if (!allowed) throw new Misunderstood(`there is no command '${command}'`);
    if (names.toSorted().join() !== [...allowed].sort().join())
      throw new Misunderstood(`${command} takes ${allowed.join(", ") || "nothing"}, not ${names.join(", ")}`);
  }

  #carryOut(command: string, parameters: Record<string, string>): Answer {
    const { sld = "", tld = "", nsgroup = "", alias = "", identity = "" } = parameters;
    const name = `${sld}.${tld}`.toLowerCase();
    switch (command) {
      case "funds_get":
        return { code: "XMLOK 40", description: "De credits zijn opgevraagd", details: element("funds_available", this.funds) };
      case "user_tld_list":
        return {
          code: "XMLOK46",
          description: "De lijst met TLD's is opgevraagd",
          details: this.tlds.map((one) => `<${one}><register/><dnssec>Y</dnssec></${one}>`).join(""),
        };
      case "domain_list":
        return this.#list(parameters);
      case "nsgroup_get":
        return this.#showGroup(nsgroup);
      case "nsgroup_list":
        return this.#listGroups(alias);
      case "nsgroup_add":
        return this.#addGroup(alias, parameters);
      case "domain_inf":
        return this.#show(name);
      case "identity_get":
        return this.#showIdentity(identity);
      default:
        return this.#hand(name, nsgroup);
    }
  }

  #list({ records }: Record<string, string>): Answer {
    if (records !== "-1") throw new Misunderstood("less than the whole list");
    const all = [...this.domains.values()];
    const rows = all.slice(0, all.length - this.leavesOut).map(
      ({ name, nsgroup, expires, lock, autorenew, status, registrant }) =>
        `<domain>${element("domainname", name)}${element("nsgroup", nsgroup)}${element("identity-registrant", registrant ?? "")}
        ${element("expire_date", expires)}${element("autorenew", flag(autorenew))}${element("lock", flag(lock))}
        ${status === undefined ? "" : element("status", status)}</domain>`,
    );
    const counts = element("domains_total", String(all.length)) + element("domains_found", String(all.length));
    return { code: "XMLOK18", description: "In DETAILS vind u de uitgebreide informatie", details: counts + rows.join("") };
  }

  #show(name: string): Answer {
    const domain = this.domains.get(name);
    if (!domain) return { code: "XMLERR 14", description: "Dit domein is niet gevonden" };
    const { nsgroup, expires, lock, autorenew, dnssec, registrant } = domain;
    const details = [
      element("identity-registrant", registrant ?? ""),
      element("nsgroup", nsgroup),
      element("expire_date", european(expires)),
      element("autorenew", flag(autorenew)),
      element("lock", flag(lock)),
      element("dnssec", flag(dnssec)),
    ];
    return { code: "XMLOK 16", description: "In DETAILS vind u de uitgebreide informatie", details: details.join("") };
  }

  #showGroup(handle: string): Answer {
    const group = this.groups.get(handle);
    if (!group) return { code: "XMLERR 25", description: "Deze nameservergroep bestaat niet" };
    const hosts = group.hosts.map((host, at) => element(`ns${at + 1}_fqdn`, host)).join("");
    return { code: "XMLOK 25", description: "De gegevens vind u in DETAILS", details: element("alias", group.alias) + hosts };
  }

  /** The search matches any part of an alias. */
  #listGroups(alias: string): Answer {
    const found = [...this.groups.values()].filter((group) => group.alias.toLowerCase().includes(alias.toLowerCase()));
    const rows = found.map((group) => `<nsgroup>${element("handle", group.handle)}${element("alias", group.alias)}</nsgroup>`);
    return { code: "XMLOK 24", description: "In DETAILS vind u de uitgebreide informatie", details: rows.join("") };
  }

  #addGroup(alias: string, parameters: Record<string, string>): Answer {
    const hosts = [1, 2, 3, 4, 5, 6].flatMap((slot) => parameters[`ns${slot}_fqdn`] ?? []);
    if (hosts.length < 2 || hosts.length !== Object.keys(parameters).length - 1)
      throw new Misunderstood("a group has name servers 1 and 2, and no gap");
    return { code: "XMLOK 4", description: "De nameservergroep is aangemaakt", details: this.group(hosts, alias) };
  }

  #showIdentity(handle: string): Answer {
    const found = this.identities.get(handle);
    if (!found) return { code: "XMLERR 23", description: "Deze identity bestaat niet" };
    const { company = "", first = "", last = "" } = found;
    const details = element("company_name", company) + element("firstname", first) + element("lastname", last);
    return { code: "XMLOK 23", description: "De gegevens vind u in DETAILS", details };
  }

  #hand(name: string, handle: string): Answer {
    const domain = this.domains.get(name);
    if (!domain || !this.groups.has(handle)) return { code: "XMLERR 12", description: "Het domein kon niet worden aangepast" };
    domain.nsgroup = handle;
    return { code: "XMLPEN 12", description: "Domein succesvol aangepast" };
  }
}

/** `order_complete` is meaningless, as at the real registrar. */
function xml({ code: status, description, details = "" }: Answer, command: string, http = 200): Reply {
  const text = `<?xml version="1.0" encoding="ISO-8859-1" ?>\n<channel><order><order_id>123456</order_id>${element("command", command)}
    <status_code>${status}</status_code>${element("status_description", description)}<price>0.00</price>
    <details>${details}</details><order_complete>FALSE</order_complete><done>TRUE</done></order></channel>`;
  return { status: http, headers: { "Content-Type": "text/xml" }, body: Buffer.from(text, "latin1") };
}
