import { type Setting, secretSetting, setting } from "./setting.ts";
import { brokers, flag, oneOf, text } from "./values.ts";

/** The connection between nodes. */
export const transportSettings = {
  transporter: secretSetting(
    "TRANSPORTER",
    brokers,
    "NATS servers that join several nodes, `nats://user:password@host:4222` or `tls://…`, separated by commas; unset: one process",
  ),
  transportCredentials: setting(
    "SERVICE_TRANSPORT_CREDENTIALS_FILE",
    undefined,
    text,
    "File with this node's NATS credentials: a credentials file, the seed of an NKey, or `user:password`; unset: those in `TRANSPORTER`",
  ),
  transportCa: setting(
    "SERVICE_TRANSPORT_CA_FILE",
    undefined,
    text,
    "Certificates (PEM) of the authority that signed the NATS server's certificate; unset: those of Node.js",
  ),
  transportInsecure: setting(
    "SERVICE_TRANSPORT_INSECURE",
    "false",
    flag,
    "Start also if `TRANSPORTER` leaves this machine with neither credentials nor TLS",
  ),
  packetsUnsigned: setting(
    "SERVICE_PACKETS_UNSIGNED",
    "refuse",
    oneOf("refuse", "accept"),
    "`accept`: take packets of nodes of a version that did not sign them, only during an upgrade; anyone who reaches NATS can then call every action",
  ),
} as const satisfies Record<string, Setting<unknown>>;
