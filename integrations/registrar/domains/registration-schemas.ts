import { namedValues } from "../../../core/naming/named-values.ts";
import {
  answer,
  choice,
  date,
  field,
  flag,
  instant,
  list,
  nullable,
  type Static,
  Type,
  uuid,
} from "../../../core/schema/schema.ts";
import { ISSUES } from "./issues.ts";

const hosts = () => nullable(list(Type.String()));

export const RegistrarDomainRead = answer("RegistrarDomainRead", {
  id: uuid(),
  account_id: field(uuid(), "The registrar account that lists the domain"),
  account_name: Type.String({ description: "That account's name" }),
  name: Type.String({ description: "As people read it" }),
  domain_id: field(nullable(uuid()), "The domain here with this name; null without one"),
  domain_name: nullable(Type.String({ description: "That domain's name; null without one" })),
  status: nullable(Type.String({ description: "The registrar's word, or `gone` for a domain it no longer lists" })),
  expires_on: field(nullable(date()), "Day the registration expires; null if not reported"),
  transfer_lock: field(nullable(flag()), "Whether it is locked against transfer; null if not reported"),
  autorenew: field(nullable(flag()), "Whether the registrar renews it; null if not reported"),
  dnssec: field(nullable(flag()), "Whether the registrar has keys for it; null until it was refreshed"),
  registrant: nullable(Type.String({ description: "Its holder: the company, else the person; null until it was refreshed" })),
  nameserver_group: nullable(
    Type.String({ description: "The registrar's reference of its group of name servers; null if not reported" }),
  ),
  nameservers: field(hosts(), "Name servers that the registrar reported, sorted; null if not known"),
  nameservers_desired: field(hosts(), "Name servers last requested here; null if never"),
  push_status: field(
    nullable(choice(namedValues("NameserverPushStatus", ["pending", "active", "drift", "missing", "error"]))),
    "Status of that request: `pending`, `active`, `drift` when the registrar has others, `missing` when it has none, `error` when it refused; null without a request",
  ),
  last_error: nullable(Type.String({ description: "The registrar's message when a call about it last failed; null otherwise" })),
  last_synced_at: field(nullable(instant()), "When it was last read at the registrar, UTC; null if never"),
  created_at: instant(),
  updated_at: instant(),
});
export type RegistrarDomainAnswer = Static<typeof RegistrarDomainRead>;

export const RegistrarDomainStatusRead = answer("RegistrarDomainStatusRead", {
  domain_id: field(uuid(), "The domain"),
  domain_name: Type.String({ description: "Its name" }),
  registration: field(nullable(RegistrarDomainRead), "Its registration; null if no account lists it"),
  elsewhere: field(list(RegistrarDomainRead), "Further registrations of the name, in other accounts"),
  public_nameservers: field(hosts(), "Name servers that public DNS last answered; null before the first check"),
  nameservers_checked_at: field(nullable(instant()), "When public DNS was last checked, UTC; null if never"),
  issues: field(list(choice(ISSUES)), "Keys of problems, the most urgent first"),
});
