// What src/report/chart_data.cpp writes into the page.
export interface Trial { trial: number; value: number; flags: string[] }
export interface Point { cell: string; median: number; low: number; high: number; n: number; flags: string[]; trials: Trial[] }
export interface Series { label: string; hue: number; shade: number; points: (Point | null)[] }
export interface Throughput { id: string; title: string; clients: string[]; series: Series[] }

export interface Row { label: string; flags: string[] }
export interface NodeUse { name: string; color: number; cpus: number[] }  // host CPUs
export interface MachineUse { name: string; color: number; shares: (number | null)[] }  // 0 to 1 of the machine
export interface Cpu { id: string; rows: Row[]; nodes: NodeUse[]; machines: MachineUse[]; cores: number }  // cores: 0 when unknown

export interface Ratio { median: number; low: number; high: number; n: number; flags: string[] }
export interface GainLine { label: string; shade: number; points: (Ratio | null)[] }
export interface Gain { id: string; pages: string[]; lines: GainLine[]; published: (number | null)[] }

export interface Data { throughput: Throughput[]; cpu: Cpu[]; gain: Gain[] }

export function read(): Data {
  return JSON.parse(document.getElementById("data")!.textContent!) as Data;
}
