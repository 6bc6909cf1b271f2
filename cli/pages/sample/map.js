sample =
{"model":"wiki.safetensors","map":{"clusters":2,"words":["king","queen","prince","river","lake","sea","<i>&amp;"],
"x":[0,4000,2500,60000,65535,58000,30000],"y":[3000,0,9000,40000,46000,50000,20000],"cluster":[0,0,0,1,1,1,-1],
"frequency":[900,700,500,450,300,200,10],"labels":[0,0,3,0,1,1,4,2]}}
