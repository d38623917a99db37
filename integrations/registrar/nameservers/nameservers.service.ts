import { action } from "../../../core/declare/action.ts";
import { prepared } from "../../../core/request/context.ts";
import { answer, field, flag, input, nullable, optional, type Static, Type, text, uuid } from "../../../core/schema/schema.ts";
import { service } from "../../../mixins/resource.ts";
import { inOwnTransaction } from "../../../mixins/tenancy.ts";
import { ASKING_ERRORS, askedAt, type DomainAtRegistrar } from "../domains/domain-place.ts";
import { askedHosts } from "../names.ts";
import { type Delegation, RegistrarFailure } from "../provider.ts";
import { inTurn } from "./push-turn.ts";
import { type Before, keepFailed, keepPushed, notePending, type PushFailure, type PushPlace } from "./pushed.ts";

const NOT_HELD = "errors.registrar_domain_not_in_register";

export const RegistrarNameservers = input("RegistrarNameservers", {
  nameservers: Type.Array(text(253), { minItems: 1, maxItems: 20, description: "Two to six host names" }),
  account_id: field(
    optional(nullable(uuid())),
    "The registrar account to use; null uses the one that lists the domain, else the only active one",
  ),
});

export const RegistrarNameserversResult = answer("RegistrarNameserversResult", {
  ok: field(flag(), "Whether the domain has these name servers now"),
  changed: field(flag(), "Whether anything was changed at the registrar"),
  error: nullable(Type.String({ description: "The registrar's message or a translation key on refusal; null on success" })),
});

interface Pushed {
  place: PushPlace;
  hosts: string[];
  before: Before | null;
  /** Null if the registrar does not hold the domain. */
  outcome: Delegation | { failure: PushFailure } | null;
}

/** Delegates a domain to name servers at its registrar; a refusal becomes the outcome. */
async function push(asked: DomainAtRegistrar, hosts: string[]): Promise<Pushed> {
  const { account, domain } = asked;
  const { id, name, label } = domain;
  const { id: accountId, name: accountName, api_user, api_password } = account;
  const place = { account: { id: accountId, name: accountName, api_user, api_password }, domain: { id, name, label } };
  const before = await inOwnTransaction(() => notePending(place, hosts));
  try {
    return { place, hosts, before, outcome: await asked.registrar.delegate(asked.access, asked.split, hosts) };
  } catch (error) {
    if (!(error instanceof RegistrarFailure)) throw error;
    const { kind, message } = error;
    return { place, hosts, before, outcome: { failure: { kind, message } } };
  }
}

function kept({ place, hosts, before, outcome }: Pushed): Static<typeof RegistrarNameserversResult> {
  if (outcome === null || "failure" in outcome) {
    const failure = outcome?.failure ?? NOT_HELD;
    keepFailed(place, hosts, failure);
    return { ok: false, changed: false, error: typeof failure === "string" ? failure : failure.message };
  }
  keepPushed(place, hosts, before, outcome);
  return { ok: true, changed: outcome.changed, error: null };
}

/** The name servers of a domain (assets §10.4). */
export default service("registrar.nameservers", {
  actions: {
    push: action({
      rest: "POST /registrar/domains/:domain_id/nameservers",
      verb: "set",
      summary: "Change the name servers of a domain at its registrar",
      description:
        "Other domains keep theirs. A refusal is an answer, in the registrar's words; repeat the call to retry, which creates nothing twice.",
      permission: "registrar.registrar.manage",
      body: RegistrarNameservers,
      example: { nameservers: ["ns1.example.com", "ns2.example.com"] },
      returns: RegistrarNameserversResult,
      status: 200,
      errors: [...ASKING_ERRORS, "unavailable"],
      acts: "outside",
      async prepare({ params: { domain_id, body } }): Promise<Pushed> {
        const hosts = askedHosts(body.nameservers);
        const asked = await askedAt(domain_id, body.account_id);
        return inTurn(asked.account.id, () => push(asked, hosts));
      },
      handler: async () => kept(prepared<Pushed>()),
    }),
  },
});
