import https from "node:https";
import type { AddressInfo } from "node:net";
import tls from "node:tls";
import { certificate, certificateKey } from "../support/certificate.ts";

/** An address that the guard takes for public; calls to it end at the simulator. */
const OUTSIDE = "93.184.216.34";

/** Addresses issued so far, by all of these sites: the service caches what an address served. */
let given = 0;

type Behaviour = (response: import("node:http").ServerResponse, path: string) => void;

/**
 * A site that serves clients' metadata documents, over TLS at a public address. Calls of this process to that address are redirected here;
 * the redirect is the last step of a call, after all checks of the guard.
 */
export class ClientDocuments {
  readonly origin = `https://${OUTSIDE}`;
  /** Requested paths, in order. */
  readonly asked: string[] = [];
  readonly #behaviours = new Map<string, Behaviour>();
  readonly #server = https.createServer({ cert: certificate, key: certificateKey }, (request, response) => {
    const path = request.url as string;
    this.asked.push(path);
    response.on("error", () => {});
    const behave = this.#behaviours.get(path);
    if (behave) behave(response, path);
    else response.writeHead(404).end();
  });
  #connect: typeof tls.connect | undefined;

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    const { port } = this.#server.address() as AddressInfo;
    const connect = tls.connect;
    this.#connect = connect;
    const diverting = (options: tls.ConnectionOptions, ...rest: never[]) => {
      if (options.host !== OUTSIDE) return connect(options, ...rest);
      const { lookup: _lookup, autoSelectFamily: _family, ...kept } = options as tls.ConnectionOptions & Record<string, unknown>;
      return connect({ ...kept, host: "127.0.0.1", port, ca: certificate, checkServerIdentity: () => undefined }, ...rest);
    };
    tls.connect = diverting as typeof tls.connect;
  }

  async stop(): Promise<void> {
    if (this.#connect) tls.connect = this.#connect;
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Registers a behaviour at a new address and returns the address. */
  behave(behaviour: Behaviour): string {
    const path = `/client-${++given}.json`;
    this.#behaviours.set(path, behaviour);
    return this.origin + path;
  }

  /** Serves a document at a new address, which is its `client_id` by default. */
  serve(document: object = {}, headers: Record<string, string> = {}): string {
    const address: string = this.behave((response) => {
      const body = {
        client_id: address,
        client_name: "An app with a document",
        redirect_uris: ["https://app.example.com/callback"],
        ...document,
      };
      response.writeHead(200, { "Content-Type": "application/json", ...headers }).end(JSON.stringify(body));
    });
    return address;
  }

  /** Stops serving an address. */
  drop(address: string): void {
    this.#behaviours.delete(new URL(address).pathname);
  }
}
