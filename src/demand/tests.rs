//! Tests of specifications, files and the exact words of every refusal.

use super::*;
use crate::base::{Demand, Rank};

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

fn spec(text: &str, ranks: usize) -> Demand {
    parse_spec(text, ranks).unwrap_or_else(|e| panic!("{text}: {e:?}"))
}

/// The message of a refused specification, and its help.
fn spec_refusal(text: &str) -> String {
    let faults = parse_spec(text, 4).expect_err(text);
    let fault = faults.iter().next().expect("one");
    [vec![fault.message.clone()], fault.help.clone()].concat().join(" | ")
}

fn file_refusal(name: &str, bytes: &[u8]) -> String {
    let faults = read_file(name, bytes, 2).expect_err(name);
    let fault = faults.iter().next().expect("one");
    assert_eq!(fault.file.as_deref(), Some(name));
    fault.message.clone()
}

#[test]
fn every_kind_keeps_its_promise() {
    let off_diagonal = |demand: &Demand| -> Vec<u64> {
        let n = demand.ranks();
        (0..n * n).filter(|i| i / n != i % n).map(|i| demand.entries()[i]).collect()
    };
    for ranks in [2, 3, 6, 8, 10, 16] {
        for seed in 1..4 {
            for text in eleven(seed) {
                let demand = spec(&text, ranks);
                for rank in 0..ranks {
                    let rank = Rank::new(rank);
                    assert_eq!(demand.get(rank, rank).0, 0, "{text}");
                }
                assert_eq!(demand, spec(&text, ranks), "{text} is not a function of its text");
            }
            let within = |text: &str, min: u64, max: u64| {
                let demand = spec(&format!("{text}:seed={seed}"), ranks);
                assert!(off_diagonal(&demand).iter().all(|b| (min..=max).contains(b)), "{text}");
            };
            within("block", 4 * MIB, 12 * MIB);
            within("random", MIB / 2, 3 * MIB / 2);
            within("log-uniform", 4 * KIB, 64 * MIB);
            let permutation = spec(&format!("permutation,seed={seed}"), ranks);
            assert_eq!(permutation.pairs(), ranks);
            for i in 0..ranks {
                let column: u64 = (0..ranks).map(|j| permutation.entries()[j * ranks + i]).sum();
                assert_eq!(column, 16 * MIB);
            }
        }
    }
    assert_eq!(spec("zero", 8).total().0, 0);
    let silent = spec("silent", 3);
    assert_eq!(silent.entries(), [0, 0, MIB, 0, 0, 0, MIB, 0, 0]);
    let full = spec("sparse:1,min=5,max=5", 3);
    assert_eq!(full.entries(), [0, 5, 5, 5, 0, 5, 5, 5, 0]);
    assert_eq!(spec("sparse:0", 3).pairs(), 0);
    let hot = spec("hot-receiver:0,factor=10,min=7,max=7", 3);
    assert_eq!(hot.entries(), [0, 7, 7, 70, 0, 7, 70, 7, 0]);
}

#[test]
fn zipf_sends_every_token_topk_times() {
    // With one rank more than experts of weight, all but the diagonal arrives: with exponent 0
    // each rank's tokens spread evenly.
    let demand = spec("zipf:0,tokens=1000,hidden=1,dtype=fp8", 8);
    let total = demand.total().0;
    assert!((55_000..57_000).contains(&total), "{total} of 8 * 1000 * 8 * 7/8 = 56000");
    // All experts chosen: exact.
    let all = spec("zipf:1.2,tokens=3,topk=4,experts=4,hidden=2,dtype=bf16", 2);
    assert_eq!(all.entries(), [0, 24, 24, 0]);
    let skewed = spec("zipf:1.2", 8);
    let columns: Vec<u64> =
        (0..8).map(|d| (0..8).map(|s| skewed.entries()[s * 8 + d]).sum()).collect();
    let (low, high) = (columns.iter().min(), columns.iter().max());
    assert!(high > low.map(|l| l * 3 / 2).as_ref(), "{columns:?} is skewed");
    assert_eq!(skewed.total().0 % (7168 * 2), 0);
}

#[test]
fn numbers_are_the_same_everywhere() {
    assert_eq!(spec("random:seed=7", 2).entries(), spec("random,seed=7", 2).entries());
    assert_ne!(spec("random:seed=7", 2), spec("random:seed=8", 2));
    assert_eq!(
        spec("random:seed=7", 3).entries(),
        [0, 529_077, 1_451_713, 1_532_591, 0, 722_117, 1_414_563, 1_071_595, 0]
    );
    assert_eq!(
        spec("log-uniform:seed=7", 3).entries(),
        [0, 1_400_716, 31_078_996, 52_298, 0, 3_057_487, 5_457, 5_729, 0]
    );
    assert_eq!(
        spec("zipf:0.8,seed=7", 3).entries(),
        [0, 16_113_664, 23_310_336, 18_593_792, 0, 23_310_336, 19_410_944, 16_758_784, 0]
    );
}

#[test]
fn sizes_take_units() {
    for (text, bytes) in [
        ("uniform:100", 100),
        ("uniform:100B", 100),
        ("uniform:4KiB", 4096),
        ("uniform:0.5MiB", 524_288),
        ("uniform:0.3MiB", 314_572),
        ("uniform:1GiB", 1 << 30),
        ("uniform:4KB", 4000),
        ("uniform: 2 MB", 2_000_000),
        ("uniform:size=1GB", 1_000_000_000),
    ] {
        assert_eq!(spec(text, 2).entries()[1], bytes, "{text}");
    }
}

#[test]
fn every_default_can_be_written_out() {
    for kind in kinds() {
        let keys: Vec<_> = kind.keys.iter().map(|k| format!("{}={}", k.name, k.default)).collect();
        let text = if keys.is_empty() {
            kind.name.to_owned()
        } else {
            format!("{}:{}", kind.name, keys.join(","))
        };
        assert_eq!(spec(&text, 4), spec(kind.name, 4), "{text}");
    }
}

#[test]
fn too_many_ranks_are_refused_before_they_are_made() {
    let faults = parse_spec("uniform", 100_000).expect_err("too many");
    assert_eq!(
        faults.iter().next().expect("one").message,
        "a demand of 100000 ranks is not generated, only of up to 4096"
    );
}

#[test]
fn refused_specifications() {
    for (text, expected) in [
        ("unifrom", "unknown kind of demand `unifrom` | did you mean `uniform`?"),
        ("hot", "unknown kind of demand `hot` | did you mean `hot-receiver`?"),
        (
            "x",
            "unknown kind of demand `x` | known are uniform, zipf, permutation, hot-receiver, \
             sparse, silent, block, log-uniform, random, zero",
        ),
        ("zipf:0.8,sed=3", "`zipf` has no key `sed` | did you mean `seed`?"),
        ("uniform:1MiB,seed=3", "`uniform` has no key `seed` | known are size"),
        ("zero:5", "`zero` takes no value, but `5` is given"),
        (
            "zipf:0.8,3",
            "`3` is no `key=value` | a specification is KIND[:VALUE][,key=value]…, as in \
             `zipf:0.8,seed=3`",
        ),
        ("uniform:1MiB,size=2MiB", "the key `size` is given twice"),
        (
            "uniform:1Mb",
            "`size=1Mb`: `Mb` is no unit of size; write B, KiB, MiB, GiB, KB, MB or GB",
        ),
        ("uniform:-1", "`size=-1`: `-1` is no unit of size; write B, KiB, MiB, GiB, KB, MB or GB"),
        ("uniform:1.5B", "`size=1.5B`: bytes are whole"),
        ("uniform:MiB", "`size=MiB`: a size is a number and a unit, as in 1MiB"),
        ("zipf:11", "`exponent=11`: not a decimal from 0 to 10"),
        ("zipf:dtype=int3", "`dtype=int3`: element types are fp8, bf16, fp16 and fp32"),
        ("zipf:topk=9,experts=4", "a token goes to 9 different experts, but there are 4"),
        ("sparse:1.5", "`probability=1.5`: not a decimal from 0 to 1"),
        ("silent:4", "no rank 4 among 4 ranks, which count from 0"),
        ("random:min=2MiB", "`min` is 2097152 bytes, more than `max` with 1572864"),
        ("random:seed=-1", "`seed=-1`: not a whole number from 0 to 2^64 - 1"),
        (
            "uniform:900000GiB",
            "the demand totals 11596411699200000 bytes, more than the supported 2^53 = \
             9007199254740992",
        ),
    ] {
        assert_eq!(spec_refusal(text), expected);
    }
}

#[test]
fn files_round_trip() {
    for text in eleven(5) {
        let demand = spec(&text, 6);
        for (format, name) in
            [(Format::Csv, "a/d.CSV"), (Format::Json, "d.json"), (Format::Npy, "d.npy")]
        {
            assert_eq!(Format::of_name(name), Some(format));
            let bytes = write(&demand, format);
            assert_eq!(read_file(name, &bytes, 6).as_ref(), Ok(&demand), "{text} as {name}");
        }
    }
    let demand = Demand::new(2, vec![1, 2, 3, 4]).expect("square");
    assert_eq!(write(&demand, Format::Csv), b"1,2\n3,4\n");
    assert_eq!(
        write(&demand, Format::Json),
        b"{\"format\": \"variopath-demand/1\", \"ranks\": 2, \"bytes\": [\n  [1,2],\n  [3,4]\n]}\n"
    );
    let npy = write(&demand, Format::Npy);
    assert_eq!((npy.len(), &npy[..8]), (128 + 32, b"\x93NUMPY\x01\x00".as_slice()));
    assert_eq!(read_file("d.csv", b"# a comment\n\n 1 , 2\r\n3,4\n", 2), Ok(demand.clone()));
    assert_eq!(read_file("d.json", b"[[1,2],[3,4]]", 2), Ok(demand));
}

#[test]
fn refused_csv() {
    for (text, expected) in [
        ("1,2\n3,-4\n", "line 2, field 2: `-4` is negative, and bytes are not"),
        ("1,2.5\n3,4\n", "line 1, field 2: `2.5` is not a whole number of bytes"),
        ("1,1e3\n3,4\n", "line 1, field 2: `1e3` is not a whole number of bytes"),
        ("a,b\n1,2\n3,4\n", "line 1, field 1: `a` is not a number"),
        ("1,nan\n3,4\n", "line 1, field 2: `nan` is not a number"),
        ("1,\n3,4\n", "line 1, field 2: nothing stands here; write 0 for no bytes"),
        (
            "0,99999999999999999999\n0,0\n",
            "line 1, field 2: `99999999999999999999` is more than the supported 2^53 bytes",
        ),
        ("1,2\n\n3,4,5\n", "not square: line 3 has 3 numbers, and there are 2 rows"),
        ("# a\n\n# b\n1\n2\n", "not square: line 4 has 1 number, and there are 2 rows"),
        ("1,2,3\n1,2,3\n1,2,3\n", "the demand is of 3 ranks, and the machine has 2"),
        ("# nothing\n", "the file holds no numbers"),
        (
            "9007199254740992,0\n0,1\n",
            "the demand totals 9007199254740993 bytes, more than the supported 2^53 = \
             9007199254740992",
        ),
    ] {
        assert_eq!(file_refusal("d.csv", text.as_bytes()), expected);
    }
    assert_eq!(
        file_refusal("d.csv", b"1,\xff\n3,4\n"),
        "line 1, field 2: `\u{fffd}` is not a number"
    );
    assert_eq!(file_refusal("d.txt", b""), "the file's suffix must be .csv, .json or .npy");
}

#[test]
fn refused_json() {
    for (text, expected) in [
        ("[[1,2],[3,-4]]", "row 1, column 1: `-4` is negative, and bytes are not"),
        ("[[1,2.5],[3,4]]", "row 0, column 1: `2.5` is not a whole number of bytes"),
        ("[[1,\"2\"],[3,4]]", "row 0, column 1: `\"2\"` is not a number"),
        ("[[1,2],\n[3,4]", "line 2, column 5: EOF while parsing a list"),
        ("[[1,2],3]", "row 1 is not an array"),
        ("[]", "the file holds no numbers"),
        ("7", "a demand is an array of rows, or an object with one"),
        ("{\"bytes\":[]}", "`format` is missing: \"variopath-demand/1\""),
        ("{\"format\":\"x\"}", "`format` is \"x\", not \"variopath-demand/1\""),
        (
            "{\"format\":\"variopath-demand/1\",\"ranks\":3,\"bytes\":[[1,2],[3,4]]}",
            "`ranks` says 3, and `bytes` has 2 rows",
        ),
        ("{\"format\":\"variopath-demand/1\",\"rank\":3}", "unknown field `rank`"),
        ("[[1,2],[3]]", "not square: row 1 has 1 number, and there are 2 rows"),
        ("[[1]]", "the demand is of 1 ranks, and the machine has 2"),
    ] {
        assert_eq!(file_refusal("d.json", text.as_bytes()), expected);
    }
}

/// A version 1 file with this header and data.
fn npy_file(header: &str, data: &[u8]) -> Vec<u8> {
    let length = u16::try_from(header.len()).expect("short");
    [b"\x93NUMPY\x01\x00", length.to_le_bytes().as_slice(), header.as_bytes(), data].concat()
}

#[test]
fn npy_types_and_refusals() {
    let header = |descr: &str, shape: &str| {
        format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n")
    };
    let demand = Demand::new(2, vec![1, 2, 3, 4]).expect("square");
    for (descr, width) in
        [("|u1", 1), ("|i1", 1), ("<u2", 2), ("<i2", 2), ("<u4", 4), ("<i4", 4), ("<i8", 8)]
    {
        let data: Vec<u8> = (1u64..5).flat_map(|n| n.to_le_bytes()[..width].to_vec()).collect();
        let file = npy_file(&header(&format!("'{descr}'"), "(2, 2)"), &data);
        assert_eq!(read_file("d.npy", &file, 2).as_ref(), Ok(&demand), "{descr}");
    }
    let text = header("'<i4'", "(2, 2)");
    let two = [
        b"\x93NUMPY\x02\x00".as_slice(),
        &u32::try_from(text.len()).expect("short").to_le_bytes(),
        text.as_bytes(),
        &[1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0],
    ]
    .concat();
    assert_eq!(read_file("d.npy", &two, 2), Ok(demand));
    let types = "is not supported: bytes are little-endian integers of 1, 2, 4 or 8 bytes";
    for (file, expected) in [
        (npy_file(&header("'<f8'", "(2, 2)"), &[0; 32]), format!("the element type `<f8` {types}")),
        (npy_file(&header("'>i8'", "(2, 2)"), &[0; 32]), format!("the element type `>i8` {types}")),
        (
            npy_file(&header("[('a', '<i8')]", "(2, 2)"), &[0; 32]),
            format!("the element type of a record {types}"),
        ),
        (
            npy_file(&header("'|i1'", "(2, 2)"), &[0, 255, 0, 0]),
            "row 0, column 1: `-1` is negative, and bytes are not".to_owned(),
        ),
        (
            npy_file(&header("'|i1'", "(2, 2)"), &[0; 3]),
            "the header says 2 x 2 numbers of 1 bytes, and 3 bytes follow".to_owned(),
        ),
        (
            npy_file(&header("'|i1'", "(4,)"), &[0; 4]),
            "the array has the shape (4,), and a demand has two dimensions".to_owned(),
        ),
        (
            npy_file(&header("'|i1'", "(2, 3)"), &[0; 6]),
            "not square: row 0 has 3 numbers, and there are 2 rows".to_owned(),
        ),
        (
            npy_file("{'descr': '|i1', 'fortran_order': True, 'shape': (2, 2), }", &[0; 4]),
            "the array is in Fortran order; save it in C order".to_owned(),
        ),
        (npy_file("{}", &[]), "the header has no `fortran_order`".to_owned()),
        (b"PK\x03\x04".to_vec(), "not a .npy file: no magic".to_owned()),
        (b"\x93NUMPY\x01".to_vec(), "the file ends inside its header".to_owned()),
        (
            b"\x93NUMPY\x03\x00\x00\x00\x00\x00".to_vec(),
            "version 3 of .npy is not supported, only 1 and 2".to_owned(),
        ),
        (npy_file(&header("'|i1'", "(0, 0)"), &[]), "the file holds no numbers".to_owned()),
    ] {
        assert_eq!(file_refusal("d.npy", &file), expected);
    }
}

proptest::proptest! {
    #[test]
    fn no_text_makes_the_readers_panic(
        bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200),
        text in "[ :,=a-z0-9.é]{0,40}",
        cells in "[0-9,.e\\-\n #\\[\\]]{0,60}",
    ) {
        for name in ["d.csv", "d.json", "d.npy"] {
            let _ = read_file(name, &bytes, 2);
            let _ = read_file(name, cells.as_bytes(), 2);
            let _ = read_file(name, &[b"\x93NUMPY\x01\x00".as_slice(), &bytes].concat(), 2);
        }
        let _ = parse_spec(&text, 3);
        for kind in kinds() {
            let _ = parse_spec(&format!(" {}{text}", kind.name), 3);
        }
    }
}
