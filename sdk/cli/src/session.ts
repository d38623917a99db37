import { Credentials, credentialsFile } from "./credentials.ts";
import { leading, type OwnValues } from "./flags.ts";
import { programHelp } from "./help.ts";
import { revoke, signIn } from "./oauth.ts";
import { write } from "./output.ts";
import type { World } from "./run.ts";
import { StateError, UsageError } from "./usage.ts";

/** The address that a line means: its own, that of the environment, or that of the last sign-in. @throws UsageError, StateError */
export function addressOf(given: string | undefined, environment: World["environment"], credentials: Credentials): string {
  const address = given ?? (environment["KANTOOR_URL"] || credentials.read().current);
  if (address === undefined) throw new StateError("The address is missing: use --url, set KANTOOR_URL, or run kantoor login.");
  if (!URL.canParse(address) || !/^https?:/.test(address)) throw new UsageError(`${address} is not an address of the web.`);
  const { origin, pathname } = new URL(address);
  if (pathname !== "/") throw new UsageError(`The address is ${origin}, without ${pathname}.`);
  return origin;
}

/** Flags of a command of the program, of which it takes those that are named. */
function ownOf(args: readonly string[], before: OwnValues, taken: readonly string[]): OwnValues {
  const { own, rest } = leading(args);
  if (rest.length > 0) throw new UsageError(`${rest[0]} is one word too many.`);
  const all = { ...before, ...own };
  const other = Object.keys(all).find((name) => !taken.includes(name));
  if (other !== undefined) throw new UsageError(`--${other} means nothing here.`);
  return all;
}

/** Signs in: with the browser, or by storing a key after it was tried. */
export async function login(world: World, args: readonly string[], before: OwnValues): Promise<void> {
  const own = ownOf(args, before, ["url", "key", "help"]);
  if (own["help"]) return write(world.out, programHelp(world.commands));
  const credentials = new Credentials(credentialsFile(world.environment));
  const address = addressOf(own["url"]?.at(-1), world.environment, credentials);
  const typed = own["key"]?.at(-1);
  const key = typed === "-" ? (await world.stdin()).trim() : typed;
  if (key !== undefined) {
    const client = world.client({ baseUrl: address, apiKey: key }) as { request(method: string, path: string): Promise<unknown> };
    await client.request("GET", "/meta/me");
    credentials.change((stored) => {
      stored.current = address;
      stored.addresses[address] = { key };
    });
  } else {
    const known = credentials.read().addresses[address]?.clientId;
    const show = (url: string) => {
      world.err.write(`Sign in at ${url}\n`);
      world.browse(url);
    };
    const made = await signIn(address, { known, scope: "", show });
    credentials.change((stored) => {
      stored.current = address;
      stored.addresses[address] = made;
    });
  }
  await write(world.err, `Signed in at ${address}.\n`);
}

/** Ends the stored sign-in, at the server too. */
export async function logout(world: World, args: readonly string[], before: OwnValues): Promise<void> {
  const own = ownOf(args, before, ["url", "help"]);
  if (own["help"]) return write(world.out, programHelp(world.commands));
  const credentials = new Credentials(credentialsFile(world.environment));
  const address = addressOf(own["url"]?.at(-1), world.environment, credentials);
  const { refreshToken } = credentials.read().addresses[address] ?? {};
  if (refreshToken !== undefined) await revoke(address, refreshToken);
  credentials.change((stored) => {
    const { clientId } = stored.addresses[address] ?? {};
    // The registration stays usable, and a new one for each sign-in would fill the list of the organisation.
    if (clientId === undefined) delete stored.addresses[address];
    else stored.addresses[address] = { clientId };
  });
  await write(world.err, `Signed out of ${address}.\n`);
}
