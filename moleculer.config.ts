import { readConfig } from "./core/config/config.ts";
import { brokerOptions } from "./operator/node.ts";

/** The broker of every node, for `moleculer-runner -c moleculer.config.ts`; `npm start` and `npm run node` use the same options. */
export default brokerOptions(readConfig());
