import { LedgerRegistrar } from "../../test/simulators/fake-registrar.ts";
import type { DefineProofs, Place } from "../../test/support/fixture/proofs.ts";
import { addRegistrar } from "./providers.ts";

/** Ends requested syncs after a delay, because no job runs here; the delay lets others join. */
const END = `update registrar_accounts set sync_ended = sync_asked,
    sync_result = '{"ok": true, "found": 0, "matched": 0, "unmatched": 0, "drifted": 0, "error": null}'
  where sync_ended < sync_asked and sync_asked_at < now() - interval '700 milliseconds'`;
const ending = new WeakSet<object>();

/** Ends syncs as long as there is a connection. */
async function endSyncs({ sql }: Place): Promise<void> {
  if (ending.has(sql)) return;
  ending.add(sql);
  const timer = setInterval(() => void sql.query(END).catch(() => clearInterval(timer)), 200);
  timer.unref();
}

const HOSTS = ["ns1.proof.example", "ns2.proof.example"];

/** Fixtures of registrars for the generic tests. Their accounts are at a registrar that holds every domain. Only the tests load it. */
const proofs: DefineProofs = ({ next, insert, named, idOf }) => {
  const registrar = new LedgerRegistrar("proof-registrar");
  registrar.holdsEverything = true;
  addRegistrar(registrar);
  const account = async ({ tenant, sql, token }: Place) => {
    const body = { name: named(token), adapter: registrar.key, api_user: named(token), api_password: `password ${next()}` };
    const id = idOf(await tenant.owner.post("/registrar/accounts", body));
    await sql.query("update registrar_accounts set tlds = '{example}' where id = $1", [id]);
    return id;
  };
  /** Hides the token for records of no client, whose names must not contain it. */
  const unnamed = (place: Place): Place => ({ ...place, token: "account" });
  const domain = (place: Place) => {
    const name = `r${next()}-${named(place.token)
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/-$/, "")}.example`;
    return insert(place, "domains", { company_id: place.companyId, name, label: name, tld: "example", start_date: "2026-01-01" });
  };
  /** A registration linked to a domain. */
  const registration = async (place: Place) => {
    const [account_id, domain_id] = [await account(unnamed(place)), await domain(place)];
    const name = `g${next()}-${domain_id}.example`;
    const [sld] = name.split(".");
    return insert(place, "registrar_domains", {
      account_id,
      domain_id,
      name,
      label: `${named(place.token)} ${name}`,
      sld,
      tld: "example",
    });
  };
  /** Registers a domain at an account, so that calls need not name the account. */
  const hold = async (place: Place, { domain_id }: Record<string, string>) => {
    const account_id = await account(unnamed(place));
    const text = `insert into registrar_domains (id, organisation_id, account_id, domain_id, name, label, sld, tld)
      select gen_random_uuid(), organisation_id, $1, id, name, label, split_part(name, '.', 1), 'example' from domains where id = $2`;
    await place.sql.query(text, [account_id, domain_id]);
  };
  return {
    makers: {
      "/registrar account_id": { ofCompany: false, make: account },
      "/registrar domain_id": { ofCompany: true, make: domain },
      "/registrar provider_id": {
        ofCompany: false,
        make: (place) => insert(place, "providers", { kind: "registrar", name: named(place.token) }),
      },
      "/registrar registration_id": { ofCompany: true, make: registration },
    },
    values: {
      adapter: () => registrar.key,
      api_user: () => `user ${next()}`,
      api_password: () => `password ${next()}`,
      nameservers: () => HOSTS,
    },
    bodies: {
      "POST /registrar/domains/{domain_id}/nameservers": async (place) => ({
        nameservers: HOSTS,
        account_id: await account(unnamed(place)),
      }),
    },
    arranged: {
      "POST /registrar/accounts/{account_id}/sync": endSyncs,
      "POST /registrar/domains/{domain_id}/refresh": hold,
    },
  };
};
export default proofs;
