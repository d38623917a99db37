import { reopen, type Trouble, troubles } from "../../core/outbound/provider/circuit.ts";
import { OperatorError } from "../../operator/organisations.ts";
import { type Command, columns } from "../command.ts";

const lineOf = ({ provider, account, state, failures, seconds, last_failure: last, last_status: status, since }: Trouble) => [
  provider,
  account,
  state,
  String(failures),
  seconds === 0 ? "" : `${seconds} s`,
  status === null ? last : `${last} (${status})`,
  since,
];

export const providerCommands: readonly Command[] = [
  {
    name: "providers list",
    about: "List provider accounts that do not work, and when each is called again",
    ownTransactions: true,
    async run({ withPool }) {
      const found = await withPool(() => troubles());
      const head = ["provider", "account", "state", "failures", "left alone", "last", "since"];
      return {
        json: { troubles: found },
        text: found.length === 0 ? ["Every account that was called answers."] : columns([head, ...found.map(lineOf)]),
      };
    },
  },
  {
    name: "providers reopen",
    about: "Call an account again now, whatever its failures",
    arguments: [
      { name: "provider", about: "As `providers list` names it" },
      { name: "account", about: "Its id; `instance` for the installation's own" },
    ],
    ownTransactions: true,
    async run({ need, withPool }) {
      const [provider, account] = [need("provider"), need("account")];
      if (!(await withPool(() => reopen(provider, account))))
        throw new OperatorError(`Account '${account}' of '${provider}' has no problem; see \`providers list\`.`);
      return {
        json: { provider, account },
        text: [`Account ${account} of ${provider} is called again, within 5 seconds on every node.`],
      };
    },
  },
];
