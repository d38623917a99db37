import { answer, choice, date, flag, instant, list, nullable, type Static, Type, uuid } from "../../../core/declare/schema.ts";
import { ISSUES } from "./issues.ts";

const hosts = () => nullable(list(Type.String()));

export const RegistrarDomainRead = answer("RegistrarDomainRead", {
  id: uuid(),
  account_id: uuid(),
  account_name: Type.String(),
  name: Type.String({ description: "As people read it" }),
  domain_id: nullable(uuid()),
  domain_name: nullable(Type.String()),
  status: nullable(Type.String({ description: "The registrar's word, or `gone` for a domain it no longer lists" })),
  expires_on: nullable(date()),
  transfer_lock: nullable(flag()),
  autorenew: nullable(flag()),
  dnssec: nullable(flag()),
  registrant: nullable(Type.String()),
  nameserver_group: nullable(Type.String()),
  nameservers: hosts(),
  nameservers_desired: hosts(),
  push_status: nullable(choice(["pending", "active", "drift", "missing", "error"])),
  last_error: nullable(Type.String()),
  last_synced_at: nullable(instant()),
  created_at: instant(),
  updated_at: instant(),
});
export type RegistrarDomainAnswer = Static<typeof RegistrarDomainRead>;

export const RegistrarDomainStatusRead = answer("RegistrarDomainStatusRead", {
  domain_id: uuid(),
  domain_name: Type.String(),
  registration: nullable(RegistrarDomainRead),
  elsewhere: list(RegistrarDomainRead),
  public_nameservers: hosts(),
  nameservers_checked_at: nullable(instant()),
  issues: list(choice(ISSUES)),
});
