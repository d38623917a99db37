import { ADMINISTRATION, CAPABILITIES } from "../../core/declare/instance.ts";
import {
  type Administrator,
  addAdministrator,
  changeAdministrator,
  listAdministrators,
  lockAdministrator,
  readCapabilities,
  resetAdministrator,
} from "../../operator/instance/administrators.ts";
import { recordAct } from "../../operator/instance/audit.ts";
import { OperatorError } from "../../operator/organisations.ts";
import { type Call, type Command, columns, type Option } from "../command.ts";

const EMAIL = { name: "email", about: "The administrator's e-mail address" };
const CAPABILITY: Option = { value: "A,B|all", about: `Any of ${CAPABILITIES.join(", ")}; or all`, multiple: true };

const hostOf = ({ config }: Call): string => `${ADMINISTRATION}.${config.baseDomain}`;
const passwordLines = (call: Call, password: string): string[] => [
  `  password  ${password}   (shown once, works for seven days)`,
  `Sign in at ${hostOf(call)}: the first sign-in asks for a new password and enrols an authenticator app.`,
];

async function administratorOf(call: Call): Promise<Administrator> {
  const found = await lockAdministrator(call.client, call.need("email"));
  if (!found) throw new OperatorError(`There is no instance administrator '${call.need("email")}'.`);
  return found;
}

const switching = (isActive: boolean): Command => ({
  name: `instance admin ${isActive ? "activate" : "deactivate"}`,
  about: isActive
    ? "Let a deactivated instance administrator sign in again"
    : "End an instance administrator's sessions and keys",
  arguments: [EMAIL],
  async run(call) {
    const { id, email } = await administratorOf(call);
    await changeAdministrator(call.client, id, { isActive });
    const act = `administrator.${isActive ? "activated" : "deactivated"}`;
    await recordAct(call.client, act, null, null, { detail: { administrator: email } });
    return { json: { id, email, is_active: isActive }, text: [`${email} is ${isActive ? "active" : "deactivated"}.`] };
  },
});

export const instanceCommands: readonly Command[] = [
  {
    name: "instance admin add",
    about: "Add an instance administrator; prints a password for the first sign-in",
    arguments: [EMAIL],
    options: {
      capabilities: { ...CAPABILITY, required: true },
      name: { value: "NAME", about: "Full name" },
    },
    async run(call) {
      const capabilities = readCapabilities(call.list("capabilities"));
      const fullName = call.text("name") ?? null;
      const { id, email, password } = await addAdministrator(call.client, { email: call.need("email"), fullName, capabilities });
      await recordAct(call.client, "administrator.added", null, null, { detail: { administrator: email, capabilities } });
      return {
        json: { id, email, capabilities, password, host: hostOf(call) },
        text: [`${email} is an instance administrator with ${capabilities.join(", ")}:`, ...passwordLines(call, password)],
      };
    },
  },
  {
    name: "instance admin list",
    about: "List the instance administrators",
    async run({ client }) {
      const all = await listAdministrators(client);
      return {
        json: all,
        text: columns(
          all.map((one) => [
            one.email,
            one.id,
            one.is_active ? "active" : "deactivated",
            one.capabilities.join(","),
            one.full_name ?? "",
          ]),
        ),
      };
    },
  },
  {
    name: "instance admin capabilities",
    about: "Set the capabilities of an instance administrator",
    arguments: [EMAIL],
    options: { capabilities: { ...CAPABILITY, required: true } },
    async run(call) {
      const { id, email } = await administratorOf(call);
      const capabilities = readCapabilities(call.list("capabilities"));
      await changeAdministrator(call.client, id, { capabilities });
      await recordAct(call.client, "administrator.changed", null, null, { detail: { administrator: email, capabilities } });
      return { json: { id, email, capabilities }, text: [`${email} has ${capabilities.join(", ") || "no capability"}.`] };
    },
  },
  {
    name: "instance admin reset",
    about: "End an instance administrator's password, second factor and sessions; prints a password for the next sign-in",
    arguments: [EMAIL],
    async run(call) {
      const { id, email } = await administratorOf(call);
      const password = await resetAdministrator(call.client, id);
      await recordAct(call.client, "administrator.reset", null, null, { detail: { administrator: email } });
      return { json: { id, email, password, host: hostOf(call) }, text: [`${email}:`, ...passwordLines(call, password)] };
    },
  },
  switching(false),
  switching(true),
];
