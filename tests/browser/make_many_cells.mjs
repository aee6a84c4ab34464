// node make_many_cells.mjs FOLDER: a run's directory with 10,000 made-up cells in 100 scenarios, two trials each.
import { mkdirSync, writeFileSync } from "node:fs";

const folder = process.argv[2];
mkdirSync(folder, { recursive: true });
const nodes = ["client1", "client2", "db2", "tam", "was", "was-linux", "webseal"];
let state = 7;
const random = () => (state = (state * 1664525 + 1013904223) % 4294967296) / 4294967296;
const cells = [];
const trials = [];
for (let scenario = 1; scenario <= 100; ++scenario) {
  for (const page of ["100B", "5.8KB", "12KB", "100KB", "2.9MB"]) {
    for (const crypto of ["software", "hardware"]) {
      for (const cpus of ["1", "2"]) {
        for (const clients of ["1", "2", "4", "8", "10"]) {
          const axes = { page, crypto, cpus, clients };
          const id = `${scenario}/${Object.entries(axes).map(([name, value]) => `${name}=${value}`).join("/")}`;
          const rates = [0, 1].map(() => 3000 * Number(cpus) * (0.95 + random() / 10));
          const figures = (from) => Object.fromEntries(nodes.map((node) => [node, from * random()]));
          cells.push({ id, scenario: String(scenario), axes, status: "measured", reason: "", trials: 2, pages_per_s: { median: (rates[0] + rates[1]) / 2, low: Math.min(...rates), high: Math.max(...rates) },
            service_us: { p50: 1900, p99: 5100 }, latency_us: null, cpu: figures(1), cpu_us_per_page: figures(100), machines: { host: random() }, errors: 0, tls: { version: "1.2", cipher: "ECDHE-RSA-AES128-GCM-SHA256" },
            limited_by: "webseal", flags: random() < 0.05 ? ["noisy-host"] : ["indicative"] });
          rates.forEach((pages_per_s, block) => trials.push({ trial: trials.length + 1, kind: "single", block, order: 0, seed: 1, sides: [{ cell: id, pages_per_s,
            slices: [{ start_ns: 3e8, s: 2, done: Math.round(2 * pages_per_s), cpu_us: { webseal: Math.round(8e5 * Number(cpus)) } }] }], ratio: null, flags: [], notes: [], failed: "" }));
        }
      }
    }
  }
}
const run = { schema: 1, name: "many", lab: "local", playbook: "many", started: "2026-11-30T18:00:00Z", command: ["lab", "run"], seed: 1,
  plan: { profile: "quick", warmup_ns: 1e9, measure_ns: 2e9, repeats: 2, only: [], cells: cells.map((cell) => ({ id: cell.id, skipped: "" })) },
  files: { lab: "", playbook: "" }, environment: { cores: 8 } };
writeFileSync(`${folder}/run.json`, JSON.stringify(run));
writeFileSync(`${folder}/results.json`, JSON.stringify({ schema: 1, cells, pairs: [], claims: [], environment: { cores: 8 } }));
writeFileSync(`${folder}/trials.jsonl`, trials.map((trial) => `${JSON.stringify(trial)}\n`).join(""));
