import { parseCondition } from '/tmp/wt/limits/src/domain/expression.ts';
import { initialDesign } from '/tmp/wt/limits/src/optimizer/initial-design.ts';
import { suggest, warmUp } from '/tmp/wt/limits/src/optimizer/suggest.ts';
const kind = process.argv[2]; const mode = process.argv[3]; const reps = Number(process.argv[4] ?? 20);
const n = kind === 'g01' ? 13 : 50;
const variables = kind === 'g01' ? [...Array.from({length:9},()=>({kind:'float',minimum:0,maximum:1})), ...Array.from({length:3},()=>({kind:'float',minimum:0,maximum:100})), {kind:'float',minimum:0,maximum:1}] : Array.from({length:n},()=>({kind:'float',minimum:0,maximum:1}));
const texts = kind === 'g01' ? ['2*x1 + 2*x2 + x10 + x11 <= 10','2*x1 + 2*x3 + x10 + x12 <= 10','2*x2 + 2*x3 + x11 + x12 <= 10',...[1,2,3].map((i)=>`x${9+i} <= 8*x${i}`),...[1,2,3].map((i)=>`x${9+i} <= 2*x${2+2*i} + x${3+2*i}`)]
 : kind === 'mix' ? [Array.from({length:50},(_,i)=>`x${i+1}`).join(' + ')+' = 1', 'x1 - 0.5*x2 <= 0.4']
 : kind === 'five' ? Array.from({length:5},(_,k)=>Array.from({length:10},(_,i)=>`x${10*k+i+1}`).join(' + ')+' = 1')
 : Array.from({length:20},(_,k)=>Array.from({length:10},(_,i)=>`x${(7*k+3*i)%50+1}`).join(' + ')+` <= ${3+k%3}`);
const names = new Map(variables.map((_, i) => [`x${i+1}`, i]));
const conditions = texts.map((t) => (parseCondition(t, names) as any).condition);
const m = 5;
const space = { variables, conditions } as any;
const design = initialDesign({ space, outputCount: m, caseCount: kind === 'g01' ? 20 : 50, seed: 1 });
const X = design.X; const N = design.count;
const Y = new Float64Array(N*m);
for (let i=0;i<N;i++) for (let j=0;j<m;j++) { let s=0; for (let v=0;v<n;v++){const x=X[i*n+v]!/(variables[v]!.maximum); s+=Math.sin(2*x+v*(j+1))+0.3*x*x;} Y[i*m+j]=s; }
const targets = Array.from({length:m},(_,j)=>({lower:Y[j]!+0.4*(j%2?1:-1)-0.003,upper:Y[j]!+0.4*(j%2?1:-1)+0.003,lowerOpen:false,upperOpen:false,direction:'none'}));
const request = (c: boolean, seed: number) => ({ space: c ? space : { variables }, goal: { targets, l1: null }, history: { count: N, X, Y, failed: new Uint8Array(N) }, firstSuggested: N, convergence: 1e-6, seed, workLimit: 15000 }) as any;
warmUp();
for (let k=0;k<4;k++) { suggest(request(true,k)); suggest(request(false,k)); }
const cpu = () => { const {user,system} = process.cpuUsage(); return (user+system)/1000; };
let [a,b]=[0,0];
for (let k=0;k<reps;k++) { let t=cpu(); if (mode!=='free') suggest(request(true,k+10)); a+=cpu()-t; t=cpu(); if (mode!=='con') suggest(request(false,k+10)); b+=cpu()-t; }
console.log(kind, N, 'constrained', (a/reps).toFixed(1), 'free', (b/reps).toFixed(1), 'ratio', (a/b).toFixed(2));
