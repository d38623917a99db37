import { sinceQuery } from "../../../core/database/lists/list.ts";
import { columns } from "../../../core/database/model.ts";
import { projection } from "../../../core/database/projection.ts";
import { queryOne } from "../../../core/database/query.ts";
import { differences, queueInsert, queueRemove, queueUpdate } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { forbidden } from "../../../core/errors/errors.ts";
import { mayCaller } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import { flag, list, optional, uuid } from "../../../core/schema/schema.ts";
import { JsonText } from "../../../core/sql/json-text.ts";
import { statement } from "../../../core/sql/statement.ts";
import { resource, rowsOf } from "../../../mixins/resource.ts";
import { askedPerson, refuseWith, requireMember } from "../callers.ts";
import { changedSince } from "../changed-since.ts";
import { ContractModel, type ContractRow } from "../models.ts";
import { lockPeople, lockPersonOf } from "../person-lock.ts";
import { rederivePerson } from "../pots/rederivation.ts";
import { byName, loadSources, type Person } from "../sources.ts";
import { contractRefusal, patchRederives } from "../working-time/contract.ts";
import { EmploymentContractCreate, EmploymentContractRead, EmploymentContractUpdate } from "../working-time/schedule-schemas.ts";
import { contractAnswer, contractValues } from "./contract-values.ts";

const rows = rowsOf({
  model: ContractModel,
  projection: projection({ model: ContractModel, schema: EmploymentContractRead }),
});
const ONE = statement(`select ${columns(ContractModel)} from leave_contracts where organisation_id = $1 and id = $2`);

/** The response for the contract as now stored. */
async function written(id: string, person: Person): Promise<JsonText> {
  const { organisation } = request();
  const row = (await queryOne<ContractRow>(ONE, [organisation.id, id])) as ContractRow;
  return new JsonText(JSON.stringify({ org_id: organisation.id, ...contractAnswer(row, person) }), row.version);
}

/** A copy of the person with other contracts. */
const withContracts = (person: Person, contracts: readonly ContractRow[]): Person => ({ ...person, contracts });

export default resource("leave.contracts", {
  model: ContractModel,
  actions: {
    list: action({
      rest: "GET /leave/contracts",
      summary: "List employment contracts: your own, or everyone's if you manage profiles",
      permission: "leave.request.read",
      query: { user_id: optional(uuid()), all_users: optional(flag(false)), ...sinceQuery },
      returns: list(EmploymentContractRead),
      async handler(ctx) {
        const { user_id, all_users = false, updated_since } = ctx.params;
        if (all_users && !mayCaller("leave.profile.manage")) throw forbidden();
        const asked = askedPerson(user_id, "leave.profile.manage");
        const everybody = all_users && user_id === undefined;
        if (!everybody && asked === null) return [];
        const { people } = await loadSources({ users: everybody ? "all" : [asked as string] });
        const changed = changedSince(updated_since);
        const org_id = ctx.meta.organisation.id;
        return people
          .toSorted(byName)
          .flatMap((person) =>
            person.contracts.filter(changed).map((contract) => ({ org_id, ...contractAnswer(contract, person) })),
          );
      },
    }),

    create: action({
      rest: "POST /leave/contracts",
      summary: "Add an employment contract; the service recomputes the person's pots",
      permission: "leave.profile.manage",
      body: EmploymentContractCreate,
      returns: EmploymentContractRead,
      errors: ["conflict", "not_found"],
      async handler(ctx) {
        const userId = ctx.params.body.user_id.toLowerCase();
        const values = contractValues(ctx.params.body, null);
        lockPeople([userId]);
        const sources = await loadSources({ users: [userId], ledger: "pots" });
        const person = sources.person(userId);
        requireMember(person);
        const refusal = contractRefusal(values, person.contracts);
        if (refusal) refuseWith(refusal);
        const id = queueInsert(ContractModel, { ...values, user_id: userId });
        await rederivePerson(sources, withContracts(person, [...person.contracts, { ...values, id } as ContractRow]));
        return written(id, person);
      },
    }),

    update: action({
      rest: "PATCH /leave/contracts/:contract_id",
      summary: "Change an employment contract; every change but a note recomputes the person's pots",
      permission: "leave.profile.manage",
      body: EmploymentContractUpdate,
      returns: EmploymentContractRead,
      errors: ["conflict"],
      async handler(ctx) {
        const id = ctx.params.contract_id;
        lockPersonOf("leave_contracts", id);
        const before = await rows.forWrite(id);
        const sources = await loadSources({ users: [before.user_id], ledger: "pots" });
        const person = sources.person(before.user_id);
        const values = contractValues(ctx.params.body, before);
        const others = person.contracts.filter((contract) => contract.id !== id);
        const refusal = contractRefusal(values, others);
        if (refusal) refuseWith(refusal);
        const changed = differences(before, values);
        if (changed) queueUpdate(ContractModel, id, changed);
        if (patchRederives(Object.keys(ctx.params.body)))
          await rederivePerson(sources, withContracts(person, [...others, { ...before, ...values }]));
        return written(id, person);
      },
    }),

    remove: action({
      rest: "DELETE /leave/contracts/:contract_id",
      summary: "Delete an employment contract",
      description: "Recomputes the person's pots, and remembers that the person had a contract.",
      permission: "leave.profile.manage",
      async handler(ctx) {
        const id = ctx.params.contract_id;
        lockPersonOf("leave_contracts", id);
        const { user_id } = await rows.forWrite(id);
        const sources = await loadSources({ users: [user_id], ledger: "pots" });
        const person = sources.person(user_id);
        queueRemove(ContractModel, id);
        await rederivePerson(
          sources,
          withContracts(
            person,
            person.contracts.filter((contract) => contract.id !== id),
          ),
        );
      },
    }),
  },
});
