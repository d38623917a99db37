import type pg from "pg";
import type { Capability, InstanceCaller } from "../../core/declare/instance.ts";
import { forbidden, notFound } from "../../core/errors/errors.ts";
import { service } from "../../mixins/resource.ts";
import { instanceAction, requireUnlimited } from "./action.ts";
import {
  type Administrator,
  addAdministrator,
  changeAdministrator,
  listAdministrators,
  lockAdministrator,
  resetAdministrator,
} from "./administrators.ts";
import {
  AdministratorAdded,
  AdministratorChange,
  AdministratorCreate,
  AdministratorList,
  AdministratorRead,
  AdministratorReset,
} from "./schemas/administrators.ts";

const needs = "administrators";

/** @throws 403 unless the caller has all of these: no one passes on, takes away or takes over more than they have */
function requireHeld({ capabilities: held }: InstanceCaller, concerned: readonly Capability[]): void {
  if (concerned.some((one) => !held.includes(one))) throw forbidden();
}

async function administratorOf(client: pg.ClientBase, caller: InstanceCaller, id: string): Promise<Administrator> {
  requireUnlimited(caller);
  const found = await lockAdministrator(client, id);
  if (!found) throw notFound();
  return found;
}

/** The instance administrators. */
export default service("instance.administrators", {
  actions: {
    list: instanceAction({
      rest: "GET /instance/administrators",
      summary: "List instance administrators",
      needs,
      returns: AdministratorList,
      async handler({ client, caller }) {
        requireUnlimited(caller);
        return listAdministrators(client);
      },
    }),

    create: instanceAction({
      rest: "POST /instance/administrators",
      summary: "Add an instance administrator",
      description:
        "The answer has a password for the first sign-in, shown once: it works for seven days, and the first sign-in replaces it. You can only pass on capabilities that you have.",
      needs,
      act: "administrator.added",
      body: AdministratorCreate,
      returns: AdministratorAdded,
      status: 201,
      oneTime: true,
      errors: ["instance_refused"],
      async handler({ client, caller, params: { body }, note }) {
        requireUnlimited(caller);
        const { email: given, full_name: fullName = null, capabilities } = body;
        requireHeld(caller, capabilities);
        const { id, email, password } = await addAdministrator(client, { email: given, fullName, capabilities });
        note({ detail: { administrator: email, capabilities } });
        return { id, email, capabilities, password };
      },
    }),

    change: instanceAction({
      rest: "PATCH /instance/administrators/:administrator_id",
      summary: "Change an instance administrator",
      description:
        "Deactivating ends sessions at once, and keys until the administrator is active again. You can only give and take capabilities that you have.",
      needs,
      act: "administrator.changed",
      body: AdministratorChange,
      returns: AdministratorRead,
      errors: ["not_found", "instance_refused"],
      async handler({ client, caller, params: { administrator_id: id, body }, note }) {
        const before = await administratorOf(client, caller, id);
        const { full_name: fullName, capabilities, is_active: isActive } = body;
        if (isActive !== undefined && isActive !== before.is_active) requireHeld(caller, before.capabilities);
        if (capabilities) {
          const isIn = (list: readonly Capability[]) => (one: Capability) => list.includes(one);
          const gained = capabilities.filter((one) => !isIn(before.capabilities)(one));
          requireHeld(caller, [...gained, ...before.capabilities.filter((one) => !isIn(capabilities)(one))]);
        }
        note({ detail: { administrator: before.email, ...body } });
        return changeAdministrator(client, id, {
          ...(fullName !== undefined && { fullName }),
          ...(capabilities && { capabilities }),
          ...(isActive !== undefined && { isActive }),
        });
      },
    }),

    reset: instanceAction({
      rest: "POST /instance/administrators/:administrator_id/reset",
      summary: "End an administrator's password, second factor and sessions",
      description:
        "For an administrator who has lost the authenticator app. The answer has a password for the next sign-in, as for a new administrator. You need all capabilities that the administrator has.",
      needs,
      act: "administrator.reset",
      returns: AdministratorReset,
      status: 200,
      oneTime: true,
      errors: ["not_found"],
      async handler({ client, caller, params: { administrator_id: id }, note }) {
        const { email, capabilities } = await administratorOf(client, caller, id);
        requireHeld(caller, capabilities);
        note({ detail: { administrator: email } });
        return { password: await resetAdministrator(client, id) };
      },
    }),
  },
});
