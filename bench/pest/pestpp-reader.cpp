// Cases of PEST as PEST++ reads and writes them: a line of JSON per folder, with what case.pst states, the observations that its
// instruction files find, and, beside the model input, the same with `theirs.` before its name. Linked with the sources of PEST++, whose
// programs do the same before and after each model run; README.md has the commands.
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>

#include "Pest.h"
#include "model_interface.h"

namespace {

std::string quoted(std::string text)
{
	std::string out = "\"";
	for (char c : pest_utils::lower_cp(text))
	{
		if (c == '"' || c == '\\') out += '\\';
		if (c == '\n' || c == '\t' || c == '\r') c = ' ';
		out += c;
	}
	return out + "\"";
}

std::string number(double value)
{
	char text[40];
	snprintf(text, sizeof text, "%.17g", value);
	return text;
}

std::string describe(Pest& pest)
{
	std::ostringstream out;
	const char* transforms[] = {"log", "fixed", "tied", "none"};
	auto tied = pest.get_base_par_tran_seq().get_tied_ptr()->get_items();
	out << "{\"parameters\":[";
	bool first = true;
	for (auto& name : pest.get_ctl_ordered_par_names())
	{
		const ParameterRec* one = pest.get_ctl_parameter_info().get_parameter_rec_ptr(name);
		auto parent = tied.find(name);
		const char* transform = one->tranform_type == ParameterRec::TRAN_TYPE::LOG ? transforms[0]
			: one->tranform_type == ParameterRec::TRAN_TYPE::FIXED ? transforms[1]
			: one->tranform_type == ParameterRec::TRAN_TYPE::TIED ? transforms[2] : transforms[3];
		out << (first ? "" : ",") << "[" << quoted(name) << ",\"" << transform << "\"," << number(one->init_value) << ","
			<< number(one->lbnd) << "," << number(one->ubnd) << "," << quoted(one->group) << "," << number(one->scale) << ","
			<< number(one->offset) << "," << (parent == tied.end() ? "null" : quoted(parent->second.first)) << "]";
		first = false;
	}
	out << "],\"observations\":[";
	first = true;
	auto less = pest.get_ext_file_double_map("observation data external", "less_than");
	auto greater = pest.get_ext_file_double_map("observation data external", "greater_than");
	auto end_of = [](const std::map<std::string, double>& ends, const std::string& name) {
		auto found = ends.find(name);
		return found == ends.end() ? std::string("null") : number(found->second);
	};
	for (auto& name : pest.get_ctl_ordered_obs_names())
	{
		auto info = pest.get_ctl_observation_info_ptr();
		out << (first ? "" : ",") << "[" << quoted(name) << "," << number(pest.get_ctl_observations().get_rec(name)) << ","
			<< number(info->get_weight(name)) << "," << quoted(info->get_group(name)) << "," << end_of(less, name) << ","
			<< end_of(greater, name) << "]";
		first = false;
	}
	out << "],\"priors\":[";
	first = true;
	for (auto& name : pest.get_ctl_ordered_pi_names())
	{
		auto found = pest.get_prior_info_ptr()->get_pi_rec(name);
		auto sides = found.calc_sim_and_resid(pest.get_ctl_parameters());
		out << (first ? "" : ",") << "[" << quoted(name) << "," << number(sides.first) << "," << number(found.get_obs_value()) << ","
			<< number(found.get_weight()) << "," << quoted(found.get_group()) << "]";
		first = false;
	}
	out << "],\"commands\":[";
	first = true;
	for (auto& command : pest.get_comline_vec())
	{
		out << (first ? "" : ",") << quoted(command);
		first = false;
	}
	Parameters values = pest.get_base_par_tran_seq().ctl2model_cp(pest.get_ctl_parameters());
	auto options = pest.get_pestpp_options();
	for (size_t i = 0; i < pest.get_tplfile_vec().size(); i++)
	{
		TemplateFile file(pest.get_tplfile_vec()[i], options.get_fill_tpl_zeros(), options.get_tpl_force_decimal());
		file.write_input_file("theirs." + pest.get_inpfile_vec()[i], values);
	}
	out << "],\"found\":{";
	first = true;
	for (size_t i = 0; i < pest.get_insfile_vec().size(); i++)
	{
		InstructionFile file(pest.get_insfile_vec()[i], options.get_additional_ins_delimiters());
		Observations found = file.read_output_file(pest.get_outfile_vec()[i]);
		for (auto& name : found.get_keys())
		{
			out << (first ? "" : ",") << quoted(name) << ":" << number(found.get_rec(name));
			first = false;
		}
	}
	out << "}}";
	return out.str();
}

}  // namespace

int main(int count, char** words)
{
	// The classes talk on the standard output.
	std::streambuf* printed = std::cout.rdbuf();
	for (int i = 1; i < count; i++)
	{
		std::ostringstream aside;
		std::cout.rdbuf(aside.rdbuf());
		std::string line;
		char home[4096];
		if (getcwd(home, sizeof home) == nullptr || chdir(words[i]) != 0) return 2;
		try
		{
			Pest pest;
			std::ifstream text("case.pst");
			std::ofstream record("case.rec");
			pest.process_ctl_file(text, "case.pst", record);
			line = describe(pest);
		}
		catch (const std::exception& error)
		{
			line = "{\"error\":" + quoted(error.what()) + "}";
		}
		if (chdir(home) != 0) return 2;
		std::cout.rdbuf(printed);
		std::cout << line << std::endl;
	}
	return 0;
}
