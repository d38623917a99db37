import {
  type RegistrarAccess,
  RegistrarFailure,
  type RegistrarProvider,
  type Registration,
  type RegistrationDetail,
  type SplitName,
} from "../provider.ts";
import { groupOf, membersOf, membersOfAll } from "./nameserver-groups.ts";
import { command, OxxaRefusal } from "./oxxa-client.ts";
import { readAmount, readDate, readFlag } from "./values.ts";
import { child, textIn, type XmlElement } from "./xml.ts";

const ROLES = ["registrant", "admin", "tech", "billing"] as const;

function contactsIn(element: XmlElement): Registration["contacts"] {
  const named = ROLES.flatMap((role) => {
    const handle = textIn(element, `identity-${role}`);
    return handle === null ? [] : [[role, handle] as const];
  });
  return named.length === 0 ? null : Object.fromEntries(named);
}

/** The fields that list and single responses share; a group's members are fetched separately. */
const registrationIn = (element: XmlElement, name: string): Registration => ({
  name,
  expiresOn: readDate(textIn(element, "expire_date")),
  transferLock: readFlag(textIn(element, "lock")),
  autorenew: readFlag(textIn(element, "autorenew")),
  status: textIn(element, "status"),
  nameserverGroup: textIn(element, "nsgroup"),
  nameservers: null,
  contacts: contactsIn(element),
});

/**
 * @throws RegistrarFailure if the list has fewer domains than it counts, or one without a name: a partial list is unusable (assets §5.11)
 */
function listed(details: XmlElement | undefined): Registration[] {
  if (!details) throw new RegistrarFailure("failed", "the list has no details");
  const rows = details.children.filter(({ name }) => name === "domain");
  const counts = ["domains_total", "domains_found"].map((name) => Number(textIn(details, name) ?? 0));
  const total = Math.max(...counts.filter(Number.isInteger), 0);
  if (rows.length < total) throw new RegistrarFailure("failed", `the list was cut short: ${rows.length} of ${total} domains`);
  return rows.map((row) => {
    const name = textIn(row, "domainname");
    if (name === null) throw new RegistrarFailure("failed", "the list has a domain without a name");
    return registrationIn(row, name);
  });
}

/** The name of an identity: its company, else its person. */
async function registrantOf(access: RegistrarAccess, identity: string | undefined): Promise<string | null> {
  if (identity === undefined) return null;
  const details = await command(access, "identity_get", { identity });
  const person = ["firstname", "lastname"].flatMap((name) => textIn(details, name) ?? []).join(" ");
  return textIn(details, "company_name") ?? (person || null);
}

/** The details of one domain; null if the account does not hold it. */
async function detailsOf(access: RegistrarAccess, { sld, tld }: SplitName): Promise<XmlElement | null> {
  try {
    const details = await command(access, "domain_inf", { sld, tld });
    if (!details) throw new RegistrarFailure("failed", "the answer about the domain has no details");
    return details;
  } catch (error) {
    if (error instanceof OxxaRefusal) return null;
    throw error;
  }
}

/** OXXA, by its command interface (assets §10.1). */
const oxxa: RegistrarProvider = {
  key: "oxxa",

  async verify(access) {
    const funds = readAmount(textIn(await command(access, "funds_get"), "funds_available"));
    const sold = await command(access, "user_tld_list");
    const tlds = new Set((sold?.children ?? []).map(({ name }) => name.toLowerCase()));
    return { funds, tlds: [...tlds].sort() };
  },

  async list(access) {
    const domains = listed(await command(access, "domain_list", { records: "-1" }));
    const members = await membersOfAll(
      access,
      domains.flatMap(({ nameserverGroup }) => nameserverGroup ?? []),
    );
    return domains.map((domain) => ({ ...domain, nameservers: members.get(domain.nameserverGroup ?? "") ?? null }));
  },

  async find(access, name): Promise<RegistrationDetail | null> {
    const details = await detailsOf(access, name);
    if (!details) return null;
    const domain = registrationIn(details, `${name.sld}.${name.tld}`);
    const nameservers = domain.nameserverGroup === null ? null : await membersOf(access, domain.nameserverGroup);
    const registrant = await registrantOf(access, domain.contacts?.["registrant"]);
    return { ...domain, nameservers, dnssec: readFlag(textIn(details, "dnssec")), registrant };
  },

  async delegate(access, name, hosts) {
    const details = await detailsOf(access, name);
    if (!details) return null;
    const nameserverGroup = await groupOf(access, [...hosts].sort());
    if (child(details, "nsgroup")?.text === nameserverGroup) return { changed: false, nameserverGroup };
    await command(access, "domain_ns_upd", { ...name, nsgroup: nameserverGroup }, "create");
    return { changed: true, nameserverGroup };
  },
};

export default oxxa;
